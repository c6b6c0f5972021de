import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentContentHash, documentIdHash } from "./content-hash.js";
import { fromHex, toHex } from "./hex.js";
import { Sha256 } from "./sha256.js";

describe("Sha256", () => {
  it("equals the platform's, however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(400), (bytes, cut) => {
        const hash = new Sha256().update(bytes.subarray(0, cut)).update(bytes.subarray(cut));
        expect(toHex(hash.digest())).toBe(createHash("sha256").update(bytes).digest("hex"));
      }),
      { numRuns: 500 },
    );
  });

  it("hex goes there and back", () => {
    expect(toHex(fromHex("00ff10a9"))).toBe("00ff10a9");
  });
});

describe("documentContentHash", () => {
  const base = { title: "History", text: "It was founded in 1911.", metadata: { tag: "a", year: 1911 } };
  it("depends on title, text and metadata and on nothing else", () => {
    const hash = documentContentHash(base);
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(documentContentHash({ ...base, metadata: { year: 1911, tag: "a" } })).toBe(hash);
    expect(documentContentHash({ ...base, metadata: { year: 1912, tag: "a" } })).not.toBe(hash);
    const ofFile = { "file.modified": "2026-01-31", "file.extension": "md", "file.folder": "notes" };
    expect(documentContentHash({ ...base, metadata: { year: 1911, tag: "a", ...ofFile } })).toBe(hash);
    expect(documentContentHash({ ...base, metadata: { year: 1911, tag: "a", "file.name": "x" } })).not.toBe(hash);
    expect(documentContentHash({ ...base, title: "HistoryI", text: base.text.slice(1) })).not.toBe(hash);
    expect(documentContentHash({ title: "", text: "" })).toBe(
      documentContentHash({ title: "", text: "", metadata: {} }),
    );
  });

  it("sorts metadata keys by their UTF-16 units (RFC 8785), those that look like integers too", () => {
    const hash = createHash("sha256").update(Buffer.from("verbatim-document-1", "utf16le"));
    for (const part of ["T", "x", '{"10":1e-7,"9":"nine","a":["b"],"é":true}'])
      hash.update(Buffer.from(Uint32Array.of(part.length).buffer)).update(Buffer.from(part, "utf16le"));
    const metadata = { "9": "nine", "10": 1e-7, é: true, a: ["b"] };
    expect(documentContentHash({ title: "T", text: "x", metadata })).toBe(hash.digest("hex").slice(0, 32));
  });

  it("is over UTF-16LE as the format says", () => {
    const le = (text: string) => Buffer.from(text, "utf16le");
    const size = (text: string) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(text.length);
      return bytes;
    };
    const text = "é𝕏".repeat(20_000);
    const expected = createHash("sha256").update(le("verbatim-document-1"));
    for (const part of ["T", text, "{}"]) expected.update(size(part)).update(le(part));
    expect(documentContentHash({ title: "T", text })).toBe(expected.digest("hex").slice(0, 32));
    expect(toHex(documentIdHash("a/b.txt"))).toBe(
      createHash("sha256").update(le("a/b.txt")).digest("hex").slice(0, 32),
    );
  });
});
