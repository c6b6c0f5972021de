import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Tokenizer as ReferenceTokenizer } from "tokenizers";
import { describe, expect, it } from "vitest";
import { parseVocabulary, WordPieceTokenizer } from "./tokenizer.js";

const vocabulary = parseVocabulary(
  readFileSync(new URL("../../../models/verbatim-en/vocab.txt", import.meta.url), "utf8"),
);
const tokenizer = new WordPieceTokenizer(vocabulary);

/** The tokenizer.json of BERT uncased, without special tokens, padding and truncation. */
const reference = ReferenceTokenizer.fromString(
  JSON.stringify({
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  }),
);

/** "id:start-end" for each token. */
type Pieces = string[];

function ours(text: string): Pieces {
  const { ids, starts, ends, count } = tokenizer.tokenize(text);
  return Array.from({ length: count }, (_, t) => `${ids[t]}:${starts[t]}-${ends[t]}`);
}

async function theirs(texts: string[]): Promise<Pieces[]> {
  const encodings = await reference.encodeBatch(texts, { addSpecialTokens: false });
  return encodings.map((encoding, n) => {
    const units = [0];
    for (const character of texts[n]!) units.push(units.at(-1)! + character.length);
    const ids = encoding.getIds();
    return encoding.getOffsets().map(([start, end], t) => `${ids[t]}:${units[start!]}-${units[end!]}`);
  });
}

/** Compares many texts in one call of the reference; a failure shows the text. */
async function expectEqual(texts: string[]): Promise<void> {
  const expected = await theirs(texts);
  for (const [n, text] of texts.entries()) expect({ text, pieces: ours(text) }).toEqual({ text, pieces: expected[n] });
}

const oddTexts = [
  "",
  " ",
  "Hello, world! isn't it 3.14%?",
  "[SEP] [CLS] [MASK] a[SEP]b [UNK] [PAD] ##ing #",
  "İstanbul ISPARTA ıi İİ İ̇",
  "ΟΔΥΣΣΕΥΣ Σίσυφος ς",
  "naïve café cafe\u0301 e\u0301\u0327\u0301 \u0301x Å \u212b ﬁ ½",
  "日本語のテキスト 中文。한국어 가각힣 가",
  "👩‍👩‍👧‍👦 emoji 😀😀 🇩🇪 ❤️ 1️⃣ 🏴\u{e0067}\u{e0062}\u{e007f}",
  "a\u0000b\u0001c\u0085d\ufffde\u00adf\u200bg\u200dh\ufeffi\u2028j\u2029k\u3000l\u00a0m\u1680n\u000bo\u000cp\u180eq\u202fr\u205fs",
  "≠ ≮ \u1fef \u037e \u0387 \u2329 \u{1d15e} \u{1d165}\u{1d167}\u0301 \u{2f800}\u{2fa1d} 豈更",
  "\u302e\u0323\u0301 a\u0301\u302e\u0323b \u302e\u0344\u0f73\u302f a\u1b44\u093c\u1b44 \u{1e000}\u0323\u0301x \u08d4\u0300\u08e3\u08e3",
  "a".repeat(99),
  "a".repeat(100),
  "a".repeat(101),
  "é".repeat(100),
  "가".repeat(51),
  "😀".repeat(100),
  "😀".repeat(101),
  "a".repeat(10_000),
  `${"\u0301".repeat(300)}x${"\u302e\u0323".repeat(200)}y`,
  "snake_case camelCase C++ C# $100 €5 ©2020 §4 x² H₂O ™ ﷺ ǅ ß ẞ ﬃ",
  "العربية עברית हिन्दी ไทย ภาษา தமிழ் বাংলা ქართული Հայերեն",
];

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abcdefgABCXYZ0189 .,'-!?()[]#_\n\t") },
  { weight: 2, arbitrary: fc.constantFrom("the", "ing", "un", "ation", "[SEP]", "[CLS]", "##s", "...", "e.g.") },
  { weight: 2, arbitrary: fc.constantFrom(..."éèüñçåøßİıſſﬁﬀΣςσКйЁёµ½²") },
  { weight: 2, arbitrary: fc.integer({ min: 0x300, max: 0x36f }).map((c) => String.fromCodePoint(c)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(..."\u302e\u302f\u1b44\u1baa\u08d4\u08e0\ua953\u0f73\u0344\u0345\u3099\u094d"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\u{1d15e}", "\u{1d165}", "\u{1d16d}", "\u{1d167}", "\u{1e944}", "\u{1e001}"),
  },
  { weight: 2, arbitrary: fc.constantFrom(..."中文字豈更。、「」ひらカﾅ한글가각각") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("😀", "👩‍👩‍👧", "🇩🇪", "\u200d", "\ufe0f", "👍🏽", "𝒳", "\u{2f800}", "\u{20000}"),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x20 }).map((c) => String.fromCodePoint(c)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ..."\u00a0\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u0085\ufeff\u00ad\ufffd\u180e",
    ),
  },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 0xd7ff }).map((c) => String.fromCodePoint(c)) },
  { weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }).map((c) => String.fromCodePoint(c)) },
);
const anyText = fc.oneof(
  { weight: 8, arbitrary: fc.array(character, { maxLength: 60 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.array(character, { maxLength: 400 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.tuple(character, fc.integer({ min: 90, max: 130 })).map(([c, n]) => c.repeat(n)) },
);

describe("WordPieceTokenizer equals the reference tokenizer", () => {
  it("on selected unusual texts", async () => {
    await expectEqual(oddTexts);
  });

  it("on 10,000 random texts", async () => {
    await fc.assert(fc.asyncProperty(fc.array(anyText, { minLength: 100, maxLength: 100 }), expectEqual), {
      numRuns: 100,
      seed: 20240607,
      endOnFailure: true,
    });
  });

  it("on every code point of the planes in use, between letters, in capitals and after a mark", async () => {
    const texts: string[] = [];
    const step = (codePoint: number): number => (codePoint >= 0x20000 && codePoint < 0xe0000 ? 97 : 1);
    let text = "";
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += step(codePoint)) {
      if (codePoint >= 0xd800 && codePoint < 0xe000) continue;
      if (codePoint >= 0xe0200 && codePoint % 251 !== 0) continue;
      const one = String.fromCodePoint(codePoint);
      text += `a${one}b ${one}A\u0301${one} `;
      if (text.length > 4000) {
        texts.push(text);
        text = "";
      }
    }
    texts.push(text);
    await expectEqual(texts);
  });
});

describe("WordPieceTokenizer", () => {
  it("knows its special tokens and its vocabulary", () => {
    const { padId, unknownId, clsId, sepId, maskId } = tokenizer;
    expect([padId, unknownId, clsId, sepId, maskId]).toEqual([0, 100, 101, 102, 103]);
    expect(tokenizer.vocabularySize).toBe(30_522);
    expect(tokenizer.tokenOf(102)).toBe("[SEP]");
    expect(() => tokenizer.tokenOf(30_522)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => new WordPieceTokenizer(["a", "b"])).toThrow(expect.objectContaining({ code: "model-mismatch" }));
  });

  it("treats a special token in a document as plain text", () => {
    const { ids } = tokenizer.tokenize("[SEP]");
    expect(Array.from(ids, (id) => tokenizer.tokenOf(id))).toEqual(["[", "sep", "]"]);
  });

  it("reads only the given range, with offsets into the whole text", () => {
    fc.assert(
      fc.property(anyText, fc.nat(400), fc.nat(400), (text, a, b) => {
        const from = Math.min(a, text.length);
        const to = Math.min(from + b, text.length);
        const whole = tokenizer.tokenize(text, { from, to });
        const slice = tokenizer.tokenize(text.slice(from, to));
        expect(whole.ids).toEqual(slice.ids);
        expect(Array.from(whole.starts)).toEqual(Array.from(slice.starts, (start) => start + from));
        expect(Array.from(whole.ends)).toEqual(Array.from(slice.ends, (end) => end + from));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it("stops after maxTokens, with the same tokens as without", () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, maxTokens) => {
        const all = tokenizer.tokenize(text);
        const some = tokenizer.tokenize(text, { maxTokens });
        expect(some.count).toBe(Math.min(maxTokens, all.count));
        expect(some.ids).toEqual(all.ids.slice(0, maxTokens));
        expect(some.ends).toEqual(all.ends.slice(0, maxTokens));
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  it("places the first tokens of a text where it finds them, or is not certain", () => {
    const words = [
      "The",
      "observatory's",
      "3.14",
      "x_y",
      "[SEP]",
      "café",
      "e\u0301",
      "\u0001",
      "東京",
      "—",
      "unrecognisability",
    ];
    const text = fc
      .array(
        fc.tuple(
          fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 12 })),
          fc.constantFrom(" ", "", "\n", "\t "),
        ),
      )
      .map((parts) => parts.flat().join(""));
    const seen = { placed: 0, uncertain: 0 };
    fc.assert(
      fc.property(text, fc.nat(30), (whole, limit) => {
        const { ids, starts, ends, count } = tokenizer.tokenize(whole, { maxTokens: limit });
        const placed = tokenizer.place(whole, ids.subarray(0, count));
        seen[placed === undefined ? "uncertain" : "placed"]++;
        if (placed !== undefined) expect(placed).toEqual({ starts, ends });
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.placed, seen.uncertain)).toBeGreaterThan(200);
  });

  it("does not place tokens in a text that they are not of", () => {
    const { ids } = tokenizer.tokenize("The red barn");
    expect(tokenizer.place("The red barn.", ids)).toEqual({
      starts: Uint32Array.of(0, 4, 8),
      ends: Uint32Array.of(3, 7, 12),
    });
    for (const other of ["The red bar", "The bed barn", "Thered barn is", ""])
      expect(tokenizer.place(other, ids), other).toBeUndefined();
    expect(tokenizer.place("☃", tokenizer.tokenize("☃").ids)).toBeUndefined();
  });

  it("drops lone surrogates, as it drops U+FFFD", () => {
    const withLone = tokenizer.tokenize("a\ud800b \udc00 c\ud83d");
    const withReplacement = tokenizer.tokenize("a\ufffdb \ufffd c\ufffd");
    expect(withLone).toEqual(withReplacement);
  });

  it("accepts Windows line endings in a vocabulary file", () => {
    expect(parseVocabulary("a\r\nb\r\n")).toEqual(["a", "b"]);
  });
});
