import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldWord, hash2gram, hashWord, isStopWord, NGRAM_BUCKETS, ngramCounts, words } from "./words.js";

const list = (text: string): string[] => Array.from(words(text), (word) => word.text);

const character = fc.oneof(
  fc.integer({ min: 0x20, max: 0x24f }),
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0x10000, max: 0x323af }),
);
const anyText = fc.array(character, { maxLength: 80 }).map((codePoints) => String.fromCodePoint(...codePoints));

describe("words", () => {
  it("finds lower-cased runs of letters, digits and marks", () => {
    expect(list("The U.S. Army's 2nd café—CAFE\u0301 naïve_x 3.14")).toEqual([
      "the",
      "u",
      "s",
      "army",
      "s",
      "2nd",
      "cafe",
      "cafe",
      "naive",
      "x",
      "3",
      "14",
    ]);
    expect(list("हिन्दी עברית 𝒳y")).toEqual(["हिन्दी", "עברית", "xy"]);
  });

  it("treats each character of a script without spaces, and each Hangul syllable, as a word", () => {
    expect(list("東京tower に𠀀a")).toEqual(["東", "京", "tower", "に", "𠀀", "a"]);
    expect(list("コーヒー 한국어 ไทย")).toEqual(["コ", "ー", "ヒ", "ー", "한", "국", "어", "ไ", "ท", "ย"]);
  });

  it("folds accents, width and letters with a stroke, but not й or the vowels of Indic scripts", () => {
    expect(list("Ärger Straße ŁÓDŹ Ёлка йод œuvre ＰＤＦ İzmir Οδός")).toEqual([
      "arger",
      "strasse",
      "lodz",
      "елка",
      "йод",
      "oeuvre",
      "pdf",
      "izmir",
      "οδοσ",
    ]);
    expect(list("e\u0301te\u0301 и\u0306од")).toEqual(["ete", "йод"]);
    expect(list("كِتَابٌ كتـــاب שָׁלוֹם हिन्दी")).toEqual(["كتاب", "كتاب", "שלום", "हिन्दी"]);
  });

  it("treats decomposed kana and Hangul as the characters that they are, with their whole range", () => {
    const pairs = [
      ["ｶﾞｲﾄﾞ", "ガイド"],
      ["か\u3099っこう", "がっこう"],
      ["한국어".normalize("NFD"), "한국어"],
      ["葛\u{e0100}城", "葛城"],
    ] as const;
    for (const [decomposed, composed] of pairs) {
      expect(list(decomposed)).toEqual([...composed]);
      expect(Array.from(words(decomposed)).at(-1)?.end).toBe(decomposed.length);
    }
    expect(Array.from(words("ｶﾞｲ"), ({ start, end }) => [start, end])).toEqual([
      [0, 2],
      [2, 3],
    ]);
    expect(list("⼀⽉")).toEqual(["一", "月"]);
    // without a character before them
    expect(list("ﾞ ㄱ ᅡ。\u3099")).toHaveLength(4);
  });

  it("ignores soft hyphens, joiners and variation selectors", () => {
    expect(list("Wasch\u00admaschine می\u200cخواهم x\u00ad")).toEqual(["waschmaschine", "ميخواهم", "x"]);
    expect(Array.from(words("x\u00ad y"), ({ end }) => end)).toEqual([1, 4]);
    expect(list("👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈")).toEqual(["1"]);
  });

  it("folds variants of Arabic letters and digits", () => {
    expect(list("شقّة مبنى ٢٠٢٤ ۱۴۰۳ २०२४")).toEqual(["شقه", "مبني", "2024", "1403", "2024"]);
    expect(list("غرفة رقم 12 (١٢)")).toEqual(["غرفه", "رقم", "12", "12"]);
    expect(list("\u0301 \u0640 a\u0301")).toEqual(["a"]);
  });

  it("folds Turkish and German letters alike in capitals and small letters", () => {
    expect(list("İSTANBUL istanbul ISPARTA Isparta ısparta")).toEqual([
      "istanbul",
      "istanbul",
      "isparta",
      "isparta",
      "isparta",
    ]);
    expect(list("STRASSE Straße STRAẞE")).toEqual(["strasse", "strasse", "strasse"]);
  });

  it("does not find words in emoji, punctuation and white space", () => {
    expect(list(" 😀 …!? \n")).toEqual([]);
    expect(list("")).toEqual([]);
    // A half of a pair alone says nothing about the pair.
    expect(list("\ud835 \udcb3 𝒳")).toEqual(["x"]);
  });

  it("gives ordered offsets that cover every word character", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let rest = "";
        let position = 0;
        for (const word of words(text)) {
          expect(word.start).toBeGreaterThanOrEqual(position);
          expect(word.text).not.toBe("");
          expect(foldWord(text.slice(word.start, word.end))).toBe(word.text);
          rest += text.slice(position, word.start);
          position = word.end;
        }
        expect((rest + text.slice(position)).replaceAll("\u0640", "")).not.toMatch(/[\p{L}\p{N}]/u);
      }),
      { numRuns: 500, seed: 11 },
    );
  });
});

describe("n-grams", () => {
  it("hashes n-grams to murmur3 modulo 2^24", () => {
    expect(hash2gram("new", "york")).toBe(2_024_896);
    expect(hash2gram("super", "bowl")).toBe(2_105_221);
    expect(hashWord("hello")).toBe(9_173_575);
    expect(NGRAM_BUCKETS).toBe(16_777_216);
  });

  it("ignores single stop words and pairs of them", () => {
    expect(isStopWord("the") && isStopWord("of") && !isStopWord("observatory")).toBe(true);
    expect(ngramCounts("Who founded the observatory of the observatory?")).toEqual(
      new Map([
        [hashWord("founded"), 1],
        [hash2gram("who", "founded"), 1],
        [hash2gram("founded", "the"), 1],
        [hashWord("observatory"), 2],
        [hash2gram("the", "observatory"), 2],
        [hash2gram("observatory", "of"), 1],
      ]),
    );
    expect(ngramCounts("of the").size).toBe(0);
  });
});
