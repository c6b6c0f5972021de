/** All hostile files, and the good ones that must be found next to them. */

import { hostileMarkup, hostileOffice } from "./hostile-formats.js";
import { hostileDocx, hostileEpub, hostilePdf } from "./hostile-packed.js";
import { type HostileInput, hostileHtml, hostileMarkdown, hostilePlain, hostileRecords } from "./hostile-text.js";
import { randomFrom } from "./random.js";

export const seed = Number(process.env.VERBATIM_HOSTILE_SEED ?? 1);

export const families: [name: string, inputs: HostileInput[]][] = [
  ["Markdown", hostileMarkdown(randomFrom(seed))],
  ["HTML and unknown formats", hostileHtml(randomFrom(seed + 1))],
  ["records", hostileRecords(randomFrom(seed + 2))],
  ["plain text and gzip", hostilePlain(randomFrom(seed + 3))],
  ["docx", hostileDocx(randomFrom(seed + 4))],
  ["EPUB", hostileEpub(randomFrom(seed + 5))],
  ["PDF", hostilePdf(randomFrom(seed + 6))],
  ["office files", hostileOffice(randomFrom(seed + 7))],
  ["mail and markup", hostileMarkup(randomFrom(seed + 8))],
];

const FIRST = "amber birch cedar dover ember flint grove heron islet jetty kiosk larch maple niche otter perch".split(
  " ",
);
const SECOND = "quarry ridge summit thicket".split(" ");
/** The name in the good file with this number. */
const nameOf = (i: number) => `${FIRST[i % FIRST.length]} ${SECOND[Math.floor(i / FIRST.length)]}`;

export const goodText = (i: number): string =>
  `The lighthouse of ${nameOf(i)} was built by Agnes ${nameOf(i)} in 19${10 + (i % 90)}.`;
export const questionOf = (i: number): string => `Who built the lighthouse of ${nameOf(i)}?`;
export const numbered = (i: number): string => String(i).padStart(3, "0");
