import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VerbatimError } from "../../errors.js";
import { ByteReader, ByteWriter, toUtf8 } from "../format/bytes.js";
import { decodeHead, HeadEncoder, MAX_REFERENCE } from "./head-coding.js";

function encoded(heads: readonly Uint8Array[]): { records: Uint8Array[]; reference: Uint8Array } {
  const encoder = new HeadEncoder();
  const records = heads.map((head) => {
    const out = new ByteWriter();
    encoder.encode(head, out);
    return out.bytes().slice();
  });
  return { records, reference: encoder.reference };
}

const fieldsOf = (id: string, title: string): Uint8Array =>
  toUtf8(
    JSON.stringify({
      id: `letters/${id}.md`,
      title,
      source: `/home/ana/papers/letters/${id}.md`,
      kind: "markdown",
      metadata: { "file.modified": "2026-11-27", "file.extension": "md", "file.folder": "/home/ana/papers/letters" },
    }),
  );

function decodedOrError(record: Uint8Array, reference: Uint8Array): Uint8Array | VerbatimError {
  try {
    return decodeHead(new ByteReader(record, "test"), reference);
  } catch (error) {
    if (error instanceof VerbatimError) return error;
    throw error;
  }
}

/** Bytes that repeat, as those of heads do. */
const bytes = fc
  .array(fc.constantFrom("folder/of/letters/", '"source":"', "2026-11-27", "a", "é", "z".repeat(300)), {
    maxLength: 30,
  })
  .map((parts) => toUtf8(parts.join("")));

describe("heads of documents", () => {
  it("round-trip through a reference of limited length", () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 40 }), (heads) => {
        const { records, reference } = encoded(heads);
        expect(reference.length).toBeLessThanOrEqual(MAX_REFERENCE);
        for (const [i, record] of records.entries()) {
          const reader = new ByteReader(record, "test");
          expect(decodeHead(reader, reference)).toEqual(heads[i]);
          expect(reader.left).toBe(0);
        }
      }),
    );
  });

  it("take little more than what distinguishes them", () => {
    const heads = Array.from({ length: 100 }, (_, i) => fieldsOf(`letter-${i}`, `Letter ${i}`));
    const { records } = encoded(heads);
    for (const record of records) expect(record.length).toBeLessThan(50);
  });

  it("have a reference that grows with another kind of head, until it is full", () => {
    const other = Array.from({ length: 300 }, (_, i) => toUtf8(JSON.stringify({ [`field-${i % 3}`.repeat(20)]: i })));
    const { records, reference } = encoded([fieldsOf("a", "A"), ...other, ...other]);
    expect(reference.length).toBeGreaterThan(fieldsOf("a", "A").length);
    expect(records.at(-1)!.length).toBeLessThan(30);
    const random = Array.from({ length: 100 }, (_, i) => toUtf8(String.fromCharCode(...Array(90).fill(256 + i))));
    expect(encoded(random).reference.length).toBe(MAX_REFERENCE);
  });

  it("that are damaged are an error or another head, never longer than they say", () => {
    const heads = Array.from({ length: 3 }, (_, i) => fieldsOf(`letter-${i}`, `Letter ${i}`));
    const { records, reference } = encoded(heads);
    let refused = 0;
    for (const record of records) {
      for (let at = 0; at < record.length; at++) {
        for (const value of [0, 1, 127, 128, 255]) {
          const damaged = record.slice();
          damaged[at] = value;
          const head = decodedOrError(damaged, reference);
          if (head instanceof VerbatimError) {
            expect(head.code).toBe("corrupt-segment");
            refused++;
          } else expect(head.length).toBe(new ByteReader(damaged, "test").varint());
        }
      }
    }
    expect(refused).toBeGreaterThan(20);
  });
});
