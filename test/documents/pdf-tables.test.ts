/** Tables whose cells have several lines, in PDFs that LibreOffice, Chromium, and groff with Ghostscript made. */

import { expect, it } from "vitest";
import { tableHeader } from "../support/outline.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { placeOfPhrase, readContent } from "./fixtures/folder.js";

const PARTS = [
  "Part | Where it is used and what to check before it is fitted | Number | Price",
  "Bilge pump | Below the engine room floor, beside the ladder. Check that the float moves freely and that the strainer is clean. | BP-204 | 410 crowns, with the float",
  "Impeller of the cooling pump | Front of the main engine. Fit it with soap, never with grease. | IM-17 | 38 crowns",
  "Anode | Rudder blade and both shaft brackets, six in all. Replace an anode when half of it is gone. | AN-6 | 22 crowns each, sold in sixes only",
  "Fuel filter | Behind the day tank. | FF-90 | 15 crowns",
  "Fire hose, fifteen metres long | Car deck, port side, in the red cabinet next to the stairs to the lounge. | FH-15 | 260 crowns",
];
const DUTY = [
  "Post | Task | Hours",
  "Deck hand | Clears the ice from both ramps, spreads sand and checks the lashings of every lorry | 05:00 to 13:00",
  "Engineer | Starts the heaters at four and reads the oil pressure each hour | 04:00 to 12:00, and on call at night",
  "Purser | Sells the tickets | 06:00 to 14:00",
  "Relief mate | Takes the wheel on the second crossing, and keeps the log until the mate is back from the car deck | 09:00 to 17:00",
];

it.each([
  ["parts-libreoffice.pdf", PARTS, "Every part below is kept"],
  ["parts-centred.pdf", PARTS, "Every part below is kept"],
  ["parts-chromium.pdf", PARTS, "Every part below is kept"],
  ["duty-ghostscript.pdf", DUTY, "The roster is for the winter."],
])("%s has each row on a line, below its header", async (name, rows, text) => {
  const content = fixtureFile(`tables/${name}`);
  const { documents, skips } = await readContent(name, content);
  expect(skips).toEqual([]);
  const [document] = documents;
  expect(document!.text.split("\n\n")).toContain(rows.join("\n"));
  expect(document!.text).toContain(text);
  const last = rows.at(-1)!.split(" | ");
  expect(placeOfPhrase(document!, last[0]!)).toEqual({ page: 1 });
  expect(await tableHeader(document!, document!.text.indexOf(last[1]!))).toBe(rows[0]);
});
