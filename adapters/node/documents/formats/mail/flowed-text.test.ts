import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import { joinFlowedLines, replaceFlowedText } from "./flowed-text.js";

const { root } = new PostalMime() as unknown as { root: { decodeFlowedText: typeof joinFlowedLines } };

it.each([
  ["a \nb", "a b"],
  ["a\nb", "a\nb"],
  ["a \r\nb \r\nc", "a b c"],
  ["> When is it? \n> \n\nOn Friday.", "> When is it? \n> \n\nOn Friday."],
  ["> When is \n> it? \nOn Friday.", "> When is it? \nOn Friday."],
  ["> > deep \n>> er \n> less", "> > deep er \n> less"],
  ["First. \n\nSecond", "First. \n\nSecond"],
  ["a \n-- \nAna", "a \n-- \nAna"],
  [" > not quoted \n  indented", "> not quoted  indented"],
  ["", ""],
])("joins %j to %j", (given, joined) => {
  expect(joinFlowedLines(given, false)).toBe(joined);
});

it("removes the space at a break if the mail says so", () => {
  expect(joinFlowedLines("日本 \n語 \n\nb", true)).toBe("日本語 \n\nb");
});

it("takes the place of postal-mime's function", async () => {
  replaceFlowedText();
  expect(root.decodeFlowedText).toBe(joinFlowedLines);
  const mail = "From: a@b\nContent-Type: text/plain; format=flowed\n\nThe lighthouse was \nbuilt here.\n";
  expect((await PostalMime.parse(mail)).text).toBe("The lighthouse was built here.\n");
});
