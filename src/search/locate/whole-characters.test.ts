import { describe, expect, it } from "vitest";
import { wholeCharacters } from "./whole-characters.js";

/** The text between "[" and "]", extended to whole characters. */
function whole(marked: string): string {
  const start = marked.indexOf("[");
  const end = marked.indexOf("]") - 1;
  const text = marked.replace(/[[\]]/g, "");
  const range = wholeCharacters(text, start, end);
  return text.slice(range.start, range.end);
}

describe("wholeCharacters", () => {
  it.each([
    ["an accent", "was [Jose]\u0301 then", "Jose\u0301"],
    ["several marks", "[e]\u0323\u0302 x", "e\u0323\u0302"],
    ["a vowel sign", "[\u0915]\u093e \u0915", "\u0915\u093e"],
    ["a mark beyond U+FFFF", "[\u{1d15f}]\u{1d16e} x", "\u{1d15f}\u{1d16e}"],
    ["a variation selector", "[❤]\ufe0f x", "❤\ufe0f"],
    ["a keycap", "[1]\ufe0f\u20e3 x", "1\ufe0f\u20e3"],
    ["a skin colour", "[👍]🏽 x", "👍🏽"],
    ["joined emoji", "[👩]\u200d❤\ufe0f\u200d👩 x", "👩\u200d❤\ufe0f\u200d👩"],
    ["the tags of a flag", "[🏴]\u{e0067}\u{e0062}\u{e007f} x", "🏴\u{e0067}\u{e0062}\u{e007f}"],
  ])("extends the end over %s", (_, marked, expected) => {
    expect(whole(marked)).toBe(expected);
  });

  it.each([
    ["a mark", "Jose[\u0301 Vance]", "e\u0301 Vance"],
    ["a mark beyond U+FFFF", "\u{1d15f}[\u{1d16e} x]", "\u{1d15f}\u{1d16e} x"],
    ["a joined emoji", "x 👩\u200d[🚀 y]", "👩\u200d🚀 y"],
  ])("moves a start at %s back to its letter", (_, marked, expected) => {
    expect(whole(marked)).toBe(expected);
  });

  it.each(["a [Vance] b", "[\u0301a] b", "a [\u0301b] c", "a [b]", "x[👍] y", "[می]\u200cخواهم", "[]"])(
    "leaves %j as it is",
    (marked) => {
      expect(whole(marked)).toBe(marked.slice(marked.indexOf("[") + 1, marked.indexOf("]")));
    },
  );
});
