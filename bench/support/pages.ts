/** Generated documents of two pages, each with a unique name in one sentence. */

import type { Document } from "../../src/types.js";
import { Random } from "../../src/vectors/random.js";

/** Number of words on two printed pages. */
const WORDS = 1000;
const VOCABULARY = (
  "the harbour council meets every month and decides about boats water light bridges and the old mill where grain from the valley " +
  "was ground until a storm broke the great wheel in winter people remember the noise and tell children how the river rose over fields"
).split(" ");

/** @param id  also the seed of the text */
export function pagesOf(id: string): Document {
  const random = new Random([...id].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7) >>> 0);
  const words = Array.from({ length: WORDS }, (_, i) => {
    const word = VOCABULARY[random.int(VOCABULARY.length)]!;
    return i % 14 === 13 ? `${word}.` : word;
  });
  const text = `${keeperOf(id)} keeps the lighthouse of ${id}. ${words.join(" ")}.`;
  const map = { kind: "text" as const, segments: [{ start: 0, line: 1, linear: true, byte: 0 }] };
  return { id, title: `Report ${id}`, text, source: `/bench/${id}.txt`, map, metadata: {} };
}

/** The name in the first sentence: the answer to "who keeps the lighthouse of …?". */
function keeperOf(id: string): string {
  const letters = [...id].map((letter) => "aeiourstlnmkbdg"[letter.charCodeAt(0) % 15]);
  return `Keeper ${letters.join("")}`;
}
