import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { seededRandom } from "../../../test/support/random.js";
import { readPostingsInWasm } from "../../kernel/postings-unpacker.js";
import { ngramCounts } from "../../text/words.js";
import { ByteReader, ByteWriter } from "../format/bytes.js";
import { openContainer } from "../format/container.js";
import { ContainerWriter } from "../format/container-writer.js";
import { decodeList, decodePlainly, encodeList } from "../format/postings-codec.js";
import { type KeyedList, KeyedPostings, writePostings } from "./keyed-postings.js";
import { PostingsBuilder } from "./postings-builder.js";
import { TfidfReader, TfidfWriter } from "./tfidf.js";

const passageModelHash = "ab".repeat(32);

type Units = Array<Map<number, number>>;

async function store(units: Units, sortedAtOnce?: number): Promise<KeyedPostings> {
  const builder = new PostingsBuilder(sortedAtOnce);
  for (const unit of units) {
    for (const [key, value] of unit) builder.add(key, value);
    builder.endUnit();
  }
  const storage = new MemoryStorage();
  const writer = await ContainerWriter.create(storage, "s000001.terms", { component: "terms", passageModelHash });
  await writePostings(writer, "", builder);
  const container = await openContainer(storage, await writer.finish(), { component: "terms", passageModelHash });
  return new KeyedPostings(container, "", units.length);
}

async function allLists(postings: KeyedPostings): Promise<KeyedList[]> {
  const lists: KeyedList[] = [];
  for await (const batch of postings.all()) lists.push(...batch);
  return lists;
}

function inverted(units: Units): Map<number, Array<[number, number]>> {
  const lists = new Map<number, Array<[number, number]>>();
  for (const [unit, entries] of units.entries()) {
    for (const [key, value] of entries) lists.set(key, [...(lists.get(key) ?? []), [unit, value]]);
  }
  return lists;
}

const pairs = (list: { units: Uint32Array; values: Uint8Array }) =>
  [...list.units].map((unit, i) => [unit, list.values[i]]);

describe("keyed postings", () => {
  it("are a map from keys to units and values", async () => {
    const key = fc.oneof(fc.nat(30), fc.nat(2 ** 24 - 1));
    const unit = fc
      .array(fc.tuple(key, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 255 }))))
      .map((e) => new Map(e));
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 30 }), fc.array(key), async (units, others) => {
        const postings = await store(units);
        const expected = inverted(units);
        for (const [k, list] of expected) expect(pairs((await postings.find([k]))[0]!)).toEqual(list);
        const keys = [...others, ...expected.keys(), ...others];
        const together = await postings.find(keys);
        expect(together.map((list) => list && pairs(list))).toEqual(keys.map((k) => expected.get(k)));
        for (const k of others) expect((await postings.find([k]))[0] !== undefined).toBe(expected.has(k));
        const all: number[] = [];
        for (const { key: k, postings: list } of await allLists(postings)) {
          all.push(k);
          expect(pairs(list)).toEqual(expected.get(k));
        }
        expect(all).toEqual([...expected.keys()].sort((a, b) => a - b));
        const walked: Array<[number, ReturnType<typeof pairs>]> = [];
        await postings.walk((k, { units: seen, values, count }) => {
          walked.push([k, pairs({ units: seen.slice(0, count), values: values.slice(0, count) })]);
        });
        expect(walked).toEqual(all.map((k) => [k, expected.get(k)]));
      }),
      { numRuns: 60 },
    );
  });

  it("hold long lists, many keys and more postings than are sorted at once", async () => {
    const random = seededRandom(7);
    const units: Units = Array.from({ length: 1000 }, () => {
      const entries = new Map<number, number>([[5, random.whole(1, 255)]]);
      for (let i = 0; i < 40; i++) entries.set(random.whole(0, 2 ** 24 - 1), 1);
      return entries;
    });
    const postings = await store(units, 5000); // 41,000
    const expected = inverted(units);
    let lists = 0;
    await postings.walk((key, { units: seen, values, count }) => {
      if (key === 5)
        expect(pairs({ units: seen.slice(0, count), values: values.slice(0, count) })).toEqual(expected.get(5));
    });
    for (const { key, postings: list } of await allLists(postings)) {
      lists++;
      if (lists % 97 === 1) expect(pairs(list)).toEqual(expected.get(key));
    }
    expect(lists).toBe(expected.size);
    expect(pairs((await postings.find([5]))[0]!)).toEqual(expected.get(5));
  });

  it("have the last unit and the largest value of each run of 128", () => {
    const units = Uint32Array.from({ length: 300 }, (_, i) => i * 3);
    const values = Uint8Array.from({ length: 300 }, (_, i) => 1 + (i % 200));
    const out = new ByteWriter();
    encodeList(out, 9, { postings: { units, values }, scratch: { body: new ByteWriter(), runs: new ByteWriter() } });
    const reader = new ByteReader(out.bytes(), "test");
    expect([reader.varint(), reader.varint()]).toEqual([9, 600]);
    reader.varint();
    let last = -1;
    for (const [lastUnit, largest] of [
      [127 * 3, 128],
      [255 * 3, 200],
      [299 * 3, 100],
    ]) {
      last += reader.varint();
      expect([last, reader.u8()]).toEqual([lastUnit, largest]);
      reader.varint(); // bytes of the run
    }
  });

  it("never give a unit that does not exist when they are damaged", () => {
    const out = new ByteWriter();
    const list = { units: Uint32Array.from({ length: 200 }, (_, i) => i * 5), values: new Uint8Array(200).fill(9) };
    encodeList(out, 0, { postings: list, scratch: { body: new ByteWriter(), runs: new ByteWriter() } });
    fc.assert(
      fc.property(fc.nat(out.length - 2), fc.nat(255), (at, value) => {
        const bytes = out.bytes().slice(1);
        bytes[at] = value;
        try {
          const read = decodeList(new ByteReader(bytes, "test"), 1000);
          expect(read.units.every((unit, i) => unit < 1000 && (i === 0 || unit > read.units[i - 1]!))).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: "corrupt-segment" });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("tfidf", () => {
  /** @param documents  the passages of each */
  async function store(documents: ReadonlyArray<readonly string[]>, mostInMap?: number): Promise<TfidfReader> {
    const storage = new MemoryStorage();
    const writer = new TfidfWriter(mostInMap);
    for (const passages of documents) {
      for (const text of passages) writer.addPassage(text);
      writer.endDocument();
    }
    const container = await ContainerWriter.create(storage, "s000001.tfidf", { component: "tfidf", passageModelHash });
    const file = await writer.finish(container);
    const passageDocuments = Uint32Array.from(documents.flatMap((passages, d) => passages.map(() => d)));
    const counts = { documents: documents.length, passages: passageDocuments.length };
    return new TfidfReader(
      await openContainer(storage, file, { component: "tfidf", passageModelHash }),
      counts,
      passageDocuments,
    );
  }
  const storeTexts = (texts: readonly string[]) => store(texts.map((text) => [text]));

  it("counts a document as the sum of its passages, at most 255", async () => {
    const many = "comet ".repeat(200);
    const tfidf = await store([[many, "the comet"], [], ["a comet", many, many]]);
    const [bucket] = [...ngramCounts("comet").keys()] as [number];
    const lists = { passage: [200, 1, 1, 200, 200], document: [201, 255] };
    const found = (await tfidf.find([bucket]))[0]!;
    expect([...found.passage.values]).toEqual(lists.passage);
    expect([...found.document.units]).toEqual([0, 2]);
    expect([...found.document.values]).toEqual(lists.document);
    expect(await tfidf.find([bucket + 1])).toEqual([undefined]);
  });

  it("has the norm of the counts, also for a document with more n-grams than a map should hold", async () => {
    const words = Array.from({ length: 5 }, (_, p) => Array.from({ length: 40 }, (_, w) => `w${p}x${w}`).join(" "));
    const tfidf = await store([["the comet"], [...words, ...words], ["the comet"]], 50);
    const squares = [0, 0, 0];
    for await (const lists of tfidf.lists.all()) {
      for (const { key } of lists) {
        const { units, values } = (await tfidf.find([key]))[0]!.document;
        for (const [i, unit] of units.entries()) squares[unit]! += Math.log1p(values[i]!) ** 2;
      }
    }
    for (const [unit, norm] of (await tfidf.norms("document")).entries())
      expect(norm).toBeCloseTo(Math.sqrt(squares[unit]!), 4);
  });

  it("keeps a norm above zero for every unit", async () => {
    const tfidf = await storeTexts(["the observatory observatory", "", "the of and"]);
    const [norm, ...empty] = await tfidf.norms("document");
    // "observatory" twice, "the observatory" once, "observatory observatory" once
    expect(norm).toBeCloseTo(Math.sqrt(Math.log(3) ** 2 + 2 * Math.log(2) ** 2), 5);
    expect(empty).toEqual([1, 1]);
  });
});

describe("lists and numbers out of WASM", () => {
  const drawn = { seed: fc.nat(), count: fc.integer({ min: 2, max: 700 }), most: fc.constantFrom(1, 40, 300, 70_000) };

  it("equal those of the TypeScript twin, which refuses the same input", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.record({ ...drawn, ones: fc.boolean(), damage: fc.nat(3) }), (given) => {
        const { count, ones, most, damage } = given;
        const random = seededRandom(given.seed);
        let unit = -1;
        const units = Uint32Array.from({ length: count }, () => {
          unit += 1 + random.whole(0, most);
          return unit;
        });
        const values = Uint8Array.from(units, () => (ones ? 1 : random.whole(1, 255)));
        if (!ones) values[0] = 7;
        const body = bodyOf({ units, values });
        const limit = unit + 1;
        for (let n = 0; n < damage; n++) body[random.whole(0, body.length - 1)] = random.whole(0, 255);
        const bytes = damage === 3 ? body.subarray(0, random.whole(0, body.length)) : body;
        const [found, expected] = [listOf(count), listOf(count)];
        const isWhole = readPostingsInWasm(bytes, { count, ones, limit }, found);
        const plainly = () => decodePlainly(bytes, expected, { ones, unitCount: limit, where: "test" });
        if (isWhole) {
          plainly();
          expect(found).toEqual(expected);
          accepted++;
        } else {
          expect(damage).toBeGreaterThan(0);
          refused++;
        }
        if (damage === 0) expect(found).toEqual({ units, values, count });
      }),
      { numRuns: 300 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(20); // otherwise nothing was tested
  });
});

const listOf = (count: number) => ({ units: new Uint32Array(count), values: new Uint8Array(count), count });

/** The encoded list without its header, for two postings or more. */
function bodyOf(postings: { units: Uint32Array; values: Uint8Array }): Uint8Array {
  const out = new ByteWriter();
  encodeList(out, 0, { postings, scratch: { body: new ByteWriter(), runs: new ByteWriter() } });
  const reader = new ByteReader(out.bytes(), "test");
  reader.varint();
  reader.varint();
  return Uint8Array.from(reader.raw(reader.varint()));
}
