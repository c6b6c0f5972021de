import { expect, it } from "vitest";
import { PathRedactor } from "../http/path-redactor.js";
import { redactSkip } from "./job-results.js";

it("a skip names no path of the server, not even that of another file", () => {
  const redactor = new PathRedactor(["/srv/notes"], { cwd: "/home/ann" });
  const reason = 'line 3: has a record with the id "7", which belongs to /home/ann/private/first.jsonl';
  const skip = {
    source: "/srv/notes/second.jsonl",
    reason,
    hint: "Rename it.",
    otherSource: "/home/ann/private/first.jsonl",
  };
  const seen = redactSkip(skip, redactor);
  expect(seen).toEqual({
    source: "notes/second.jsonl",
    reason: expect.stringMatching(/^line 3: has a record with the id "7", which belongs to /),
    hint: "Rename it.",
  });
  expect(seen.reason).not.toContain("/home/ann");
  expect(redactSkip({ source: "a.md", reason: "is empty" }, redactor)).toEqual({ source: "a.md", reason: "is empty" });
});
