import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader, ByteWriter } from "./bytes.js";
import { copyF32, copyU16, copyU32, copyU64, fromF32, fromU16, fromU32 } from "./columns.js";

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
    expect(() => reader.u32()).toThrow(/s000001\.text.*4 more bytes/);
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
    expect([...copyU64(Uint8Array.of(1, 0, 0, 0, 1, 0, 0, 0), "test")]).toEqual([2 ** 32 + 1]);
    expect(() => copyU64(new Uint8Array(8).fill(255), "test")).toThrow(/2⁵³/);
  });
});
