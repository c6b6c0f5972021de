import { describe, expect, it } from "vitest";
import { namesFor } from "./best-item.js";
import type { LocatedSpan } from "./locate.js";

const MANUAL = `Options

-x, --exclude=PATTERN
Ignore files whose path matches the pattern.

-d, --delay=SECONDS
Wait this long after the last change. Files are ignored meanwhile.

The program writes a log.`;

/** The best span of the manual's passage. */
function spanOf(text: string): LocatedSpan {
  const start = MANUAL.indexOf(text);
  const record = { id: "manual" };
  return { text, start, end: start + text.length, passageStart: 0, passageText: MANUAL, record } as LocatedSpan;
}

const answer = (question: string, text: string) => namesFor(question)?.(spanOf(text)).text;

describe("the item that a question describes", () => {
  it("is named in place of a span of its neighbour or of prose", () => {
    expect(answer("which option ignores files that match a pattern?", "SECONDS")).toBe("--exclude");
    expect(answer("what flag makes it wait after a change?", "writes a log")).toBe("--delay");
    expect(answer("how do I ignore files that match a pattern?", "the last change")).toBe("--exclude");
  });

  it("is the one that the span is in if the words say nothing", () => {
    expect(answer("which option is it?", "the last change")).toBe("--delay");
    expect(answer("which option is it?", "writes a log")).toBe("writes a log");
  });

  it("does not answer how questions that share few words with it, nor other questions", () => {
    expect(answer("how do I paint the files?", "writes a log")).toBe("writes a log");
    expect(namesFor("who ignores files?")).toBeUndefined();
    expect(namesFor("how many files match?")).toBeUndefined();
  });

  it("takes the place of the best span of a passage only", () => {
    const toName = namesFor("which option ignores files that match a pattern?")!;
    expect(toName(spanOf("SECONDS"))).toMatchObject({ text: "--exclude", isName: true });
    expect(toName(spanOf("SECONDS")).text).toBe("--delay");
    expect(toName(spanOf("writes a log"))).toMatchObject({ text: "writes a log" });
  });
});
