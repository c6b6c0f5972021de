import { describe, expect, it } from "vitest";
import { Random } from "../../vectors/random.js";
import { type DocumentKey, DocumentKeys } from "./document-keys.js";

/** Keys of which several share an id hash, or only begin alike. */
function makeKeys(count: number): DocumentKey[] {
  const random = new Random(11);
  const hex = (): string =>
    random
      .int(2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return Array.from({ length: count }, (_, document) => ({
    idHash:
      ["ffffffff", "00000000", hex()][random.int(3)]! + "0".repeat(16) + (random.int(4) === 0 ? hex() : "7".repeat(8)),
    contentHash: hex() + hex() + hex() + hex(),
    document,
    passages: random.int(2 ** 32),
  }));
}

function filled(keys: readonly DocumentKey[]): DocumentKeys {
  const table = new DocumentKeys();
  for (const key of keys) table.push(key);
  return table;
}

async function sortedBytes(keys: DocumentKeys): Promise<Uint8Array> {
  const parts: number[] = [];
  await keys.writeSorted(async (rows) => void parts.push(...rows), undefined);
  return Uint8Array.from(parts);
}

describe("DocumentKeys", () => {
  it("are written by id hash, then document, and read back", async () => {
    const keys = makeKeys(3000);
    const table = filled(keys);
    expect([...table]).toEqual(keys);
    const bytes = await sortedBytes(table);
    const expected = keys.toSorted((a, b) =>
      a.idHash < b.idHash ? -1 : a.idHash > b.idHash ? 1 : a.document - b.document,
    );
    const read = await DocumentKeys.read(bytes, { where: "here", count: 3000, first: 0, end: 3000 });
    expect([...read]).toEqual(expected);
    const rows = read.rowsByDocument(3000, "here");
    for (const key of keys) expect(read.at(rows[key.document]!)).toEqual(key);
    const some = await DocumentKeys.read(bytes, { where: "here", count: 3000, first: 5, end: 7 });
    expect([...some]).toEqual(expected.filter(({ document }) => document === 5 || document === 6));
  });

  it("are copied under other numbers", () => {
    const [first, second] = makeKeys(2);
    const copy = new DocumentKeys();
    copy.pushRow(filled([first!, second!]).row(1), 0);
    expect([...copy]).toEqual([{ ...second!, document: 0 }]);
  });

  it("of no document, or missing for one, are damage", async () => {
    const bytes = await sortedBytes(filled(makeKeys(3)));
    const read = DocumentKeys.read(bytes, { where: "here", count: 2, first: 0, end: 2 });
    await expect(read).rejects.toMatchObject({ code: "corrupt-segment" });
    const [first, second] = makeKeys(2);
    expect(() => filled([first!, { ...second!, document: 0 }]).rowsByDocument(2, "here")).toThrow(
      /document 1 is not in/,
    );
  });
});
