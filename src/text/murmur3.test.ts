import { expect, it } from "vitest";
import { murmur3 } from "./murmur3.js";

it("murmur3 gives the published values", () => {
  const vectors: [string, number, number][] = [
    ["", 0, 0],
    ["", 1, 0x514e28b7],
    ["a", 0, 0x3c2569b2],
    ["ab", 0, 0x9bbfd75f],
    ["abc", 0, 0xb3dd93fa],
    ["test", 0, 0xba6bd213],
    ["aaaa", 0x9747b28c, 0x5a97808a],
    ["Hello, world!", 0, 0xc0363e43],
    ["The quick brown fox jumps over the lazy dog", 0, 0x2e4ff723],
    ["é", 0, 0x10110787],
    ["中文", 0, 0xdb267197],
    ["😀", 0, 0xbeb42efa],
  ];
  for (const [text, seed, hash] of vectors) expect({ text, hash: murmur3(text, seed) }).toEqual({ text, hash });
});

it("murmur3 hashes long strings and lone surrogates", () => {
  expect(murmur3("x".repeat(100_000))).toBe(murmur3("x".repeat(100_000)));
  expect(murmur3("a\ud800")).toBe(murmur3("a\ufffd"));
});
