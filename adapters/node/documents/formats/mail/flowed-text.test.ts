import fc from "fast-check";
import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import { joinFlowedLines, replaceFlowedText } from "./flowed-text.js";

const { root } = new PostalMime() as unknown as { root: { decodeFlowedText: typeof joinFlowedLines } };
const original = root.decodeFlowedText;

it("joins lines as postal-mime does", () => {
  const piece = fc.constantFrom(" ", "-", "-- ", "a", "\n", "\r\n", "a \n", "-- \n", "\n ");
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.boolean(), (given, deleteSpace) => {
      expect(joinFlowedLines(given, deleteSpace)).toBe(original(given, deleteSpace));
    }),
    { numRuns: 5000 },
  );
});

it("takes the place of postal-mime's function", async () => {
  replaceFlowedText();
  expect(root.decodeFlowedText).toBe(joinFlowedLines);
  const mail = "From: a@b\nContent-Type: text/plain; format=flowed\n\nThe lighthouse was \nbuilt here.\n";
  expect((await PostalMime.parse(mail)).text).toBe("The lighthouse was built here.\n");
});
