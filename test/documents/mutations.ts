/** Files of every format with random damage: bytes changed, cut off, repeated; in archives also inside a part. */

import { strToU8, unzipSync, zipSync } from "fflate";
import { mutated, pick, type Random } from "../hostile/random.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { xhtml } from "./fixtures/office.js";
import { pdfPages } from "./fixtures/pdf.js";

const MAIL =
  'From: a@example.org\nTo: b@example.org\nDate: Thu, 3 Apr 2031 21:14:00 +0200\nSubject: =?UTF-8?Q?P=C3=BCmpe?=\nMessage-ID: <a@b>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nNine litres =E2=80=94 yes.\n\n> quoted\n--x\nContent-Type: text/html\n\n<p>Nine</p>\n--x\nContent-Type: application/rtf; name="a.rtf"\nContent-Disposition: attachment; filename="a.rtf"\n\n{\\rtf1 a\\par}\n--x--\n';

/** A good file of each format, by its name. */
export const SEEDS: Readonly<Record<string, () => Uint8Array>> = {
  "a.md": () => fixtureFile("manual.md"),
  "a.html": () =>
    strToU8(xhtml("Pump", "<nav><a href='x'>Home</a></nav><h1>Pump</h1><table><tr><th>a</th><th>b</th></tr></table>")),
  "a.txt": () => strToU8("Pump\n\n1. Care ..... 2\n\fRFC 1 [Page 2]\n\n1.  Care\n\nGrease it.\n"),
  "a.csv": () => fixtureFile("lights.csv"),
  "a.docx": () => fixtureFile("libreoffice/manual.docx"),
  "a.epub": () => fixtureFile("python/manual.epub"),
  "a.pdf": () =>
    pdfPages(
      [1, 2, 3].map((page) => [
        { text: "Pump manual", y: 780 },
        { text: `Chapter ${page}`, y: 700, size: 20 },
        { text: "The pump lifts nine litres a minute, and", y: 670 },
        { text: "runs for a month.", y: 656 },
        { text: `Page ${page}`, y: 40 },
      ]),
    ),
  "a.odt": () => fixtureFile("manual.odt"),
  "a.odp": () => fixtureFile("manual.odp"),
  "a.ods": () => fixtureFile("lights.ods"),
  "a.pptx": () => fixtureFile("manual.pptx"),
  "a.xlsx": () => fixtureFile("lights.xlsx"),
  "a.rtf": () => fixtureFile("manual.rtf"),
  "a.ipynb": () => fixtureFile("manual.ipynb"),
  "a.rst": () => fixtureFile("manual.rst"),
  "a.adoc": () => fixtureFile("manual.adoc"),
  "a.org": () => fixtureFile("manual.org"),
  "a.tex": () => fixtureFile("manual.tex"),
  "a.man": () => fixtureFile("manual.1"),
  "a.py": () => strToU8('"""A pump."""\n\ndef start(x):\n    """Starts it."""\n    # Nine litres.\n    return "#"\n'),
  "a.c": () => strToU8("/* A pump. */\n\n/** Starts it. */\nint start(int x) { return 1; } // done\n"),
  "a.eml": () => strToU8(MAIL),
  "a.mbox": () => strToU8(`From a@b Thu Apr  3 21:14:00 2031\n${MAIL}\n`.repeat(2)),
  "a.srt": () =>
    strToU8("1\n00:00:01,000 --> 00:00:04,000\nThe <i>pump</i>\n\n2\n00:00:05,000 --> 00:00:06,000\nruns.\n"),
  "a.vtt": () => strToU8("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>The pump\n\nNOTE x\n"),
};

/** Recognised text of a scan. */
export const HOCR =
  "<html><head><meta name='ocr-system' content='x'/></head><body><div class='ocr_page' title='bbox 0 0 1000 2000'><p class='ocr_par'><span class='ocr_line' title='bbox 100 200 500 240'><span class='ocrx_word' title='bbox 100 200 300 240; x_wconf 90'>Nine</span> <span class='ocrx_word' title='bbox 310 200 500 240; x_wconf 95'>litres</span></span></p></div></body></html>";

/** Pictures of each kind. */
export const PICTURES = ["scan.png", "scan.jpg", "scan.tif"].map((name) => ({ name, bytes: () => fixtureFile(name) }));

/** The file with damage. In an archive, half of the time only one part is damaged. */
export function damaged(random: Random, seed: Uint8Array): Uint8Array {
  if (seed[0] !== 0x50 || seed[1] !== 0x4b || random(2) === 0) return damagedBytes(random, seed);
  const parts = unzipSync(seed);
  const name = pick(
    random,
    Object.keys(parts).filter((part) => /\.(xml|rels|xhtml|opf)$/.test(part)),
  );
  return zipSync({ ...parts, [name]: damagedBytes(random, parts[name]!) }, { level: 1 });
}

function damagedBytes(random: Random, bytes: Uint8Array): Uint8Array {
  if (bytes.length < 8) return bytes;
  const at = random(bytes.length);
  const length = 1 + random(Math.min(bytes.length - at, 2000));
  switch (random(4)) {
    case 0:
      return mutated(random, bytes, 1 + random(20));
    case 1:
      return bytes.slice(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    default: {
      const piece = bytes.subarray(at, at + length);
      const repeated = Array.from({ length: 1 + random(20) }, () => piece);
      return Buffer.concat([bytes.subarray(0, at), ...repeated, bytes.subarray(at)]);
    }
  }
}
