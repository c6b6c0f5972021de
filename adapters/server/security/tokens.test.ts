import * as crypto from "node:crypto";
import { expect, it, vi } from "vitest";
import { Tokens } from "./tokens.js";

vi.mock("node:crypto", async (original) => {
  const actual = await original<typeof crypto>();
  return { ...actual, timingSafeEqual: vi.fn(actual.timingSafeEqual) };
});

it("a token is compared with all stored ones in constant time, whatever it is", () => {
  const stored = ["the-first-token-0123", "the-second-token-0123", "the-third-token-0123"];
  const tokens = Tokens.parse(stored.map((token) => `ask ${token}`).join("\n"));
  const given = [...stored, "the-first-token-0124", "t", "", "x".repeat(100_000)];
  for (const token of given) {
    vi.mocked(crypto.timingSafeEqual).mockClear();
    expect(tokens.find(token) !== undefined).toBe(stored.includes(token));
    const compared = vi.mocked(crypto.timingSafeEqual).mock.calls;
    expect(compared).toHaveLength(stored.length);
    // hashes: their length and their first different byte say nothing of the token
    for (const sides of compared) expect(sides.map(({ byteLength }) => byteLength)).toEqual([32, 32]);
  }
});
