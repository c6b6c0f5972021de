import { describe, expect, it } from "vitest";
import { madeUpModel } from "../../../test/support/made-up.js";
import { FORMAT_VERSION } from "../format/container-layout.js";
import { crc32c } from "../format/crc32c.js";
import {
  committedVersions,
  decodeManifest,
  encodeManifest,
  isIndexFile,
  lacksManifest,
  type Manifest,
} from "./manifest.js";

const { name, passageModelHash, vocabularySize, dense, coherency, vector } = madeUpModel;
const manifest: Manifest = {
  formatVersion: FORMAT_VERSION,
  minimumReaderVersion: FORMAT_VERSION,
  version: 7,
  nextSegment: 3,
  level: "full",
  model: { name, passageModelHash, vocabularySize, dense, coherency, vector },
  totals: { documents: 20, passages: 41, bytes: 5120 },
  segments: [
    {
      name: "s000001",
      documents: 21,
      passages: 42,
      startRows: 100,
      endRows: 90,
      tokens: 1000,
      deletedDocuments: 1,
      deletedPassages: 1,
      files: [{ name: "s000001.documents", bytes: 5120, id: "0123456789abcdef".repeat(2) }],
    },
  ],
};

/** The manifest's bytes with a change in the text and a valid checksum. */
function changed(from: string, to: string): Uint8Array {
  const text = new TextDecoder().decode(encodeManifest(manifest));
  const body = new TextEncoder().encode(text.slice(0, -26).replace(from, to));
  const crc = crc32c(body).toString(16).padStart(8, "0");
  return new Uint8Array([...body, ...new TextEncoder().encode(`,\n "crc32c": "${crc}"\n}\n`)]);
}

describe("manifest", () => {
  it("round-trips, is JSON, and has equal bytes for equal content", () => {
    const bytes = encodeManifest(manifest);
    expect(decodeManifest(bytes, "manifest-7.json")).toEqual(manifest);
    expect(encodeManifest(decodeManifest(bytes, "manifest-7.json"))).toEqual(bytes);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({ format: "verbatim-index", version: 7 });
    const empty = { ...manifest, segments: [] };
    expect(decodeManifest(encodeManifest(empty), "manifest-7.json")).toEqual(empty);
  });

  it("is reported as damaged, with repair as the hint, for any flipped bit and any truncation", () => {
    const bytes = encodeManifest(manifest);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeManifest(flipped, "manifest-7.json")).toThrowError(
        expect.objectContaining({
          code: "corrupt-manifest",
          where: "manifest-7.json",
          hint: expect.stringContaining("verbatim repair"),
        }),
      );
    }
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeManifest(bytes.subarray(0, length), "manifest-7.json")).toThrow(/damaged/);
    }
  });

  it("ignores unknown fields and refuses invalid values and other versions", () => {
    expect(decodeManifest(changed(`"version": 7`, `"colour": "blue", "version": 7`), "manifest-7.json")).toEqual(
      manifest,
    );
    for (const version of [0, FORMAT_VERSION + 1]) {
      const other = changed(`"minimumReaderVersion": ${FORMAT_VERSION}`, `"minimumReaderVersion": ${version}`);
      expect(() => decodeManifest(other, "manifest-7.json")).toThrowError(
        expect.objectContaining({
          code: "unsupported-format",
          found: version,
          hint: expect.stringMatching(/index the/),
        }),
      );
    }
    expect(() => decodeManifest(encodeManifest(manifest), "manifest-8.json")).toThrow(/version 7/);
    for (const [from, to] of [
      [`"documents": 21`, `"documents": -1`],
      [`"documents": 21`, `"documents": "21"`],
      [`"s000001.documents"`, `"../secret"`],
      [`"s000001.documents"`, `"s000002.documents"`],
      [`"level": "full"`, `"level": "odd"`],
      [`"termUnit": "passage"`, `"termUnit": "sentence"`],
      [`"units": 42`, `"units": 43`],
      [`"files": [`, `"files": [null, `],
      ["verbatim-index", "something-else"],
    ] as const) {
      expect(() => decodeManifest(changed(from, to), "manifest-7.json")).toThrow(/damaged/);
    }
  });

  it("knows its own names", () => {
    expect(
      committedVersions(["manifest-2.json", "manifest-10.json", "manifest-11.json.tmp", "manifest-03.json", "x"]),
    ).toEqual([10, 2]);
    for (const own of [
      "manifest-1.json",
      "manifest-1.json.tmp",
      "s000001.text",
      "s1234567.tombstones-12",
      "uncommitted",
    ])
      expect(isIndexFile(own)).toBe(true);
    for (const other of ["lock", "notes.txt", "s000001.txt", "s1.text", "manifest.json", "s000001.tombstones"])
      expect(isIndexFile(other)).toBe(false);
  });

  it("distinguishes a removed manifest from an interrupted first run", () => {
    expect(lacksManifest(["lock", "s000001.text"])).toBe(true);
    expect(lacksManifest(["manifest-1.json.tmp", "s000001.text"])).toBe(true);
    for (const names of [[], ["notes.txt"], ["manifest-1.json", "s000001.text"], ["s000001.text", "uncommitted"]])
      expect(lacksManifest(names)).toBe(false);
  });
});
