import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecognitionCache } from "./recognition-cache.js";
import type { RecognizedPage } from "./recognized.js";
import { openRecognizer, type RecognitionEngine } from "./recognizer.js";

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "verbatim-ocr-"));
  folder = join(parent, "ocr");
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const pageOf = (text: string): RecognizedPage => ({
  width: 100,
  height: 200,
  lines: [{ words: [{ text, box: { left: 1, top: 2, width: 3, height: 4 }, confidence: 90 }], beginsParagraph: true }],
});

/** Reads a picture as the text that it consists of, and counts how often. */
class FakeEngine implements RecognitionEngine {
  version = "fake 1";
  readonly read: string[] = [];

  async recognize(picture: Uint8Array, exifOrientation: number): Promise<RecognizedPage> {
    const text = Buffer.from(picture).toString();
    if (text === "damaged") throw new Error("damaged");
    this.read.push(`${text} ${exifOrientation}`);
    return pageOf(text);
  }
}

const picture = (text: string): Uint8Array => Buffer.from(text);
const filesOf = (path: string): string[] => readdirSync(path).map((name) => join(path, name));

describe("a recogniser with a cache", () => {
  it("reads a picture once, also after a restart", async () => {
    const engine = new FakeEngine();
    const options = { cacheFolder: folder, source: "a.png", engine };
    expect(await openRecognizer(options).recognize(picture("lamp"))).toEqual(pageOf("lamp"));
    expect(await openRecognizer(options).recognize(picture("lamp"))).toEqual(pageOf("lamp"));
    expect(engine.read).toEqual(["lamp 1"]);
  });

  it("reads it again when it is turned, and after the engine was replaced", async () => {
    const engine = new FakeEngine();
    const recognizer = openRecognizer({ cacheFolder: folder, source: "a.png", engine });
    for (const orientation of [1, 6, 6]) await recognizer.recognize(picture("lamp"), orientation);
    engine.version = "fake 2";
    await recognizer.recognize(picture("lamp"), 6);
    expect(engine.read).toEqual(["lamp 1", "lamp 6", "lamp 6"]);
  });

  it("reads every time without a folder", async () => {
    const engine = new FakeEngine();
    const recognizer = openRecognizer({ cacheFolder: undefined, source: "a.png", engine });
    for (let n = 0; n < 2; n++) await recognizer.recognize(picture("lamp"));
    expect(engine.read).toHaveLength(2);
  });

  it("keeps no failure", async () => {
    const recognizer = openRecognizer({ cacheFolder: folder, source: "a.png", engine: new FakeEngine() });
    await expect(recognizer.recognize(picture("damaged"))).rejects.toThrow("damaged");
    await expect(recognizer.recognize(picture("damaged"))).rejects.toThrow("damaged");
  });

  it.each([
    ["a damaged file", (path: string) => writeFileSync(path, "not gzip")],
    ["a file cut short", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 20))],
  ])("reads again after %s", async (_, damage) => {
    const engine = new FakeEngine();
    const recognizer = openRecognizer({ cacheFolder: folder, source: "a.png", engine });
    await recognizer.recognize(picture("lamp"));
    damage(filesOf(folder)[0]!);
    expect(await recognizer.recognize(picture("lamp"))).toEqual(pageOf("lamp"));
    expect(await recognizer.recognize(picture("lamp"))).toEqual(pageOf("lamp"));
    expect(engine.read).toHaveLength(2);
  });

  it("works without a cache where none can be written", async () => {
    writeFileSync(folder, "a file in its place");
    const recognizer = openRecognizer({ cacheFolder: folder, source: "a.png", engine: new FakeEngine() });
    expect(await recognizer.recognize(picture("lamp"))).toEqual(pageOf("lamp"));
  });
});

describe("the cache", () => {
  it.skipIf(process.platform === "win32")("is for its owner only", () => {
    new RecognitionCache(folder).set(RecognitionCache.keyOf(["a"]), pageOf("lamp"), "a.png");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(filesOf(folder)[0]!).mode & 0o777).toBe(0o600);
  });

  it("removes the pages that were not used for longest beyond its limit, and no other file", () => {
    const keys = Array.from({ length: 10 }, (_, n) => RecognitionCache.keyOf([n]));
    const first = new RecognitionCache(folder);
    for (const [n, key] of keys.entries()) {
      first.set(key, pageOf("lamp"), "a.png");
      utimesSync(join(folder, `${key}.gz`), 1000 + n, 1000 + n);
    }
    writeFileSync(join(folder, "notes.txt"), "mine");
    first.get(keys[0]!); // used just now
    const size = statSync(join(folder, `${keys[1]}.gz`)).size;
    const cache = new RecognitionCache(folder, { maxBytes: 5 * size });
    cache.set(RecognitionCache.keyOf(["new"]), pageOf("lamp"), "a.png");
    const kept = keys.flatMap((key, n) => (cache.get(key) === undefined ? [] : [n]));
    expect(kept).toEqual([0, 8, 9]);
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
  });

  it("removes the pages of documents that are gone", () => {
    const cache = new RecognitionCache(folder);
    const [a, b] = [RecognitionCache.keyOf(["a"]), RecognitionCache.keyOf(["b"])];
    cache.keepOnly(new Set(["a.png"])); // without a folder
    cache.set(a, pageOf("lamp"), "a.png");
    cache.set(b, pageOf("wick"), "b.png");
    writeFileSync(join(folder, `${b}.1234.new`), "unfinished");
    cache.keepOnly(new Set(["a.png"]));
    expect(readdirSync(folder)).toEqual([`${a}.gz`]);
  });
});
