import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader, ByteWriter } from "./bytes.js";
import { copyF32, copyU16, copyU32, fromF32, fromU16, fromU32, Offsets, viewU16, viewU32 } from "./columns.js";

const safe = fc.oneof(fc.nat(300), fc.nat(), fc.maxSafeNat());

describe("ByteWriter and ByteReader", () => {
  it("give back every number that they take", () => {
    const signed = fc.integer({ min: -(2 ** 51), max: 2 ** 51 });
    fc.assert(
      fc.property(fc.array(safe), fc.array(signed), fc.array(fc.nat(0xffffffff)), (varints, zigzags, words) => {
        const out = new ByteWriter(1);
        for (const value of varints) out.varint(value);
        for (const value of varints) out.u64(value);
        for (const value of zigzags) out.zigzag(value);
        for (const value of words) {
          out.u32(value);
          out.u16(value & 0xffff);
          out.u8(value & 255);
        }
        const reader = new ByteReader(out.bytes(), "test");
        expect(varints.map(() => reader.varint())).toEqual(varints);
        expect(varints.map(() => reader.u64())).toEqual(varints);
        expect(zigzags.map(() => reader.zigzag())).toEqual(zigzags);
        for (const value of words)
          expect([reader.u32(), reader.u16(), reader.u8()]).toEqual([value, value & 0xffff, value & 255]);
        expect(reader.left).toBe(0);
      }),
    );
  });

  it("say where the bytes end instead of making numbers up", () => {
    const reader = new ByteReader(Uint8Array.of(1, 2, 3), "s000001.text");
    expect(reader.u16()).toBe(0x0201);
    expect(() => reader.u32()).toThrow(/s000001\.text.*4 missing bytes/);
    expect(() => reader.raw(-1)).toThrow(/damaged/);
    expect(() => reader.raw(2 ** 60)).toThrow(/damaged/);
    expect(reader.u8()).toBe(3);
  });

  it("refuse numbers that are too large", () => {
    const reader = (bytes: number[]) => new ByteReader(Uint8Array.from(bytes), "test");
    expect(() => reader(new Array(9).fill(255)).varint()).toThrow(/eight bytes/);
    expect(() => reader([255, 255, 255, 255, 255, 255, 255, 127]).varint()).toThrow(/2⁵³/);
    expect(() => reader(new Array(8).fill(255)).u64()).toThrow(/2⁵³/);
    expect(() => reader([0xff, 0xfe]).utf8(2)).toThrow(/UTF-8/);
  });
});

describe("columns", () => {
  it("come back from bytes at any alignment, and from a Buffer", () => {
    const words = Uint32Array.of(1, 2, 0xdeadbeef);
    for (const shift of [0, 1, 2, 3]) {
      const moved = Buffer.alloc(12 + shift);
      moved.set(fromU32(words), shift);
      expect(copyU32(moved.subarray(shift))).toEqual(words);
    }
    expect([...fromU16(Uint16Array.of(0x1234))]).toEqual([0x34, 0x12]);
    expect(copyU16(Uint8Array.of(0x34, 0x12))).toEqual(Uint16Array.of(0x1234));
    expect(copyF32(fromF32(Float32Array.of(1.5, -2)))).toEqual(Float32Array.of(1.5, -2));
  });

  it("are the same as views, at any alignment", () => {
    const bytes = fromU32(Uint32Array.of(7, 2 ** 31, 9));
    for (const from of [0, 1, 2, 4]) {
      const lying = new Uint8Array(from + bytes.length);
      lying.set(bytes, from);
      expect(viewU32(lying.subarray(from))).toEqual(Uint32Array.of(7, 2 ** 31, 9));
      expect(viewU16(lying.subarray(from))).toEqual(copyU16(bytes));
    }
    expect(viewU32(bytes).buffer).toBe(bytes.buffer);
    expect(() => viewU32(bytes.subarray(0, 7))).toThrow(/whole numbers/);
  });
});

describe("offsets", () => {
  const bytesOf = (offsets: readonly number[]): Uint8Array => {
    const out = new ByteWriter();
    for (const offset of offsets) out.u64(offset);
    return Uint8Array.from(out.bytes());
  };

  it("are what was written, and name the first that is smaller than the one before", () => {
    const given = fc.array(fc.oneof(fc.nat(3), fc.nat(), fc.maxSafeNat()), { minLength: 1 });
    fc.assert(
      fc.property(given, fc.boolean(), (some, sorted) => {
        const numbers = sorted ? [0, ...some].sort((a, b) => a - b) : some;
        const misplaced = numbers.findIndex((number, n) => n > 0 && number < numbers[n - 1]!);
        const offsets = Offsets.read(bytesOf(numbers), "test");
        expect(numbers.map((_, n) => offsets.at(n))).toEqual(numbers);
        expect(offsets.end).toBe(numbers.at(-1));
        expect(offsets.firstMisplaced()).toBe(misplaced > 0 ? misplaced : numbers[0] === 0 ? undefined : 0);
        if (numbers.length > 1)
          expect(offsets.range(0)).toEqual({ offset: numbers[0], length: numbers[1]! - numbers[0]! });
      }),
    );
  });

  it("are refused where they are no numbers of a file", () => {
    expect(() => Offsets.read(new Uint8Array(8).fill(255), "test")).toThrow(/2⁵³/);
    expect(() => Offsets.read(new Uint8Array(12), "test")).toThrow(/whole numbers/);
  });
});
