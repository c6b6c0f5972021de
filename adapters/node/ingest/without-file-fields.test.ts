import { expect, it } from "vitest";
import { textDocument } from "../../../test/support/ask.js";
import { withoutFileFields } from "./without-file-fields.js";

it("fields that begin with file. are dropped, and others stay, whatever their names", () => {
  const metadata = JSON.parse('{"file.folder":"docs","file.author":"Ada","file":"a","profile.x":1,"__proto__":"b"}');
  const document = { ...textDocument("a", "The mill was sold."), metadata };
  const { metadata: kept, ...rest } = withoutFileFields(document);
  expect(Object.entries(kept!)).toEqual([
    ["file", "a"],
    ["profile.x", 1],
    ["__proto__", "b"],
  ]);
  expect(rest).toEqual(textDocument("a", "The mill was sold."));
});

it("a document without such fields is returned as it is", () => {
  const plain = textDocument("a", "The mill was sold.");
  const withYear = { ...plain, metadata: { year: 1890 } };
  expect(withoutFileFields(plain)).toBe(plain);
  expect(withoutFileFields(withYear)).toBe(withYear);
});
