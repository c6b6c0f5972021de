import { describe, expect, it } from "vitest";
import { wholeEdges } from "./whole-edges.js";

/** `[` and `]` would be marks themselves: ‹ and › show the range. */
function whole(marked: string): string {
  const start = marked.indexOf("‹");
  const end = marked.indexOf("›") - 1;
  const text = marked.replace(/[‹›]/g, "");
  const range = wholeEdges(text, start, end);
  return text.slice(range.start, range.end);
}

describe("wholeEdges", () => {
  it.each([
    ["pay ‹$5,000 (five thousand›) now", "$5,000 (five thousand)"],
    ["pay (‹$5,000) now›", "($5,000) now"],
    ["pay ‹$5,000 (five› thousand) now", "$5,000 (five"],
    ["the ‹(2019› budget)", "2019"],
    ["in 2019‹), the council›", "the council"],
    ["the ‹council (›of 2019)", "council"],
    ['he said ‹"never›" twice', '"never"'],
    ['he said ‹"never› more" twice', "never"],
    ["says “‹so be it” quietly›", "“so be it” quietly"],
    ["an der Tür: ‹„Bitte klingeln“›", "„Bitte klingeln“"],
    ["las ‹„Faust“ und „Emilia Galotti“›", "„Faust“ und „Emilia Galotti“"],
    ["las „Faust und ‹Galotti“› gern", "Galotti"],
    ["zwany ‹Związek „Solidarność”›", "Związek „Solidarność”"],
    ["der ‹Roman »Faust«› von", "Roman »Faust«"],
    ["der Roman »‹Faust« von Goethe›", "»Faust« von Goethe"],
    ["dit ‹«Bleu› » enfin", "Bleu"],
    ["dit ‹«Bleu›» enfin", "«Bleu»"],
    ["作品‹《红楼梦›》是", "《红楼梦》"],
    ["作品《红‹楼梦》›是", "楼梦"],
    ["【‹注意】事项›", "【注意】事项"],
    ["‹((a) b›", "(a) b"],
    ["‹a (b [c) d›", "a (b [c) d"],
  ])("%s", (marked, expected) => {
    expect(whole(marked)).toBe(expected);
  });

  it.each(["‹(a) and [b]›", '‹"a" and "b"›', "‹12 o'clock›", '‹5" and 6"›', 'a ‹27"› screen'])(
    "leaves %s as it is",
    (marked) => {
      expect(whole(marked)).toBe(marked.slice(marked.indexOf("‹") + 1, marked.indexOf("›")));
    },
  );

  it("keeps a range that is nothing but a mark", () => {
    expect(whole("a ‹(› b")).toBe("(");
    expect(whole("a ‹), (› b")).toBe("), (");
  });

  it("stays within the text", () => {
    expect(whole("‹(a›")).toBe("a");
    expect(whole("‹a)›")).toBe("a");
    expect(whole("‹›")).toBe("");
  });

  it("ends for every range of up to four marks, whatever closes what", () => {
    const units = ["(", ")", "“", "”", "„", "«", "»", '"', "7"];
    let texts = [""];
    for (let length = 1; length <= 4; length++) {
      texts = texts.flatMap((text) => units.map((unit) => text + unit));
      for (const text of texts)
        for (let start = 0; start < length; start++) {
          const range = wholeEdges(text, start, length);
          if (range.start >= range.end) throw new Error(`nothing is left of ${text} from ${start}`);
        }
    }
    expect(wholeEdges("“(”)", 1, 4)).toEqual({ start: 1, end: 4 });
  });
});
