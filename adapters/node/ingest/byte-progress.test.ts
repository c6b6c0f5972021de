import { describe, expect, it } from "vitest";
import type { InputFile } from "../documents/input.js";
import { ByteProgress } from "./byte-progress.js";

const file = (size: number): InputFile => ({ absolutePath: `/made/up/${size}`, size }) as InputFile;
const counts = (units: number, unchanged = 0) => ({
  documents: 0,
  unchanged,
  replaced: 0,
  passages: 0,
  tokens: Math.round(units / 3),
  textLength: units,
  phrases: 0,
  skipped: 0,
});

describe("progress in bytes", () => {
  it("counts what was encoded, not what was read ahead, and estimates the end from it", () => {
    const progress = new ByteProgress([file(9000), file(9000)]);
    progress.beginFile(file(9000));
    progress.read(9000);
    progress.encoded(counts(4500));
    expect(progress.at(10)).toEqual({ files: 0, filesTotal: 2, bytes: 4500, bytesTotal: 18_000, secondsLeft: 30 });
    progress.encoded(counts(9000));
    progress.endFile();
    expect(progress.at(20)).toMatchObject({ files: 1, bytes: 9000, secondsLeft: 20 });
  });

  it("counts a packed or marked-up file by the text in it", () => {
    const progress = new ByteProgress([file(9000), file(9000)]);
    progress.beginFile(file(9000));
    progress.read(9000);
    progress.document(90_000);
    progress.encoded(counts(22_500));
    expect(progress.at(10)).toMatchObject({ bytes: 2250, secondsLeft: 70 });
    progress.encoded(counts(45_000));
    expect(progress.at(20)).toMatchObject({ bytes: 4500, secondsLeft: 60 });
  });

  it("counts records that were unchanged as done at once, and not for the speed", () => {
    const progress = new ByteProgress([file(90_000)]);
    progress.beginFile(file(90_000));
    progress.read(45_000);
    progress.encoded(counts(0, 10)); // half of the file was indexed by the previous run
    expect(progress.at(1)).toMatchObject({ bytes: 45_000, secondsLeft: undefined });
    progress.read(60_000);
    progress.encoded(counts(4500, 10));
    expect(progress.at(10)).toMatchObject({ bytes: 49_500, secondsLeft: 90 });
  });

  it("counts files that were unchanged as done, and not for the speed", () => {
    const progress = new ByteProgress([file(9000), file(9000)]);
    progress.beginFile(file(9000));
    progress.read(9000);
    progress.encoded(counts(0, 3));
    progress.endFile();
    progress.beginFile(file(9000));
    progress.read(9000);
    progress.encoded(counts(4500, 3));
    expect(progress.at(10)).toMatchObject({ bytes: 13_500, secondsLeft: 10 });
  });

  it("ends a single file whose text takes many tokens at its last byte", () => {
    const progress = new ByteProgress([file(3000)]);
    progress.beginFile(file(3000));
    progress.read(3000);
    progress.document(1000); // three bytes a character, as in Chinese
    progress.encoded(counts(500));
    expect(progress.at(10)).toMatchObject({ bytes: 1500, secondsLeft: 10 });
    progress.encoded(counts(1000));
    expect(progress.at(20)).toMatchObject({ bytes: 3000, secondsLeft: 0 });
  });
});
