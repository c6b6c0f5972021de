import { expect, it } from "vitest";
import { firstCut, lastCut } from "./one-line.js";
import { countWords } from "./quotation-marks.js";

it("text is cut at spaces, and between characters of scripts without spaces", () => {
  expect(lastCut("the old observatory", 10)).toBe(7);
  expect(lastCut("observatory", 5)).toBe(-1);
  expect(lastCut("天文台在山上", 4)).toBe(4);
  expect(firstCut("the old observatory", 2)).toBe(4);
  expect(firstCut("observatory", 2)).toBe(-1);
  expect(firstCut("天文台在山上", 4)).toBe(4);
});

it("text is not cut before closing marks, after opening ones, or inside a character", () => {
  expect(lastCut("他说：「好的。」然后", 7)).toBe(5);
  expect(lastCut("他说：「好的。」然后", 4)).toBe(3);
  expect(firstCut("コーヒー豆", 1)).toBe(2);
  expect(lastCut("か\u3099っこう", 1)).toBe(-1);
  const text = "𠮷野家の𠮷";
  for (let at = 0; at <= text.length; at++) {
    const cut = lastCut(text, at);
    if (cut > 0 && cut < text.length) expect(text.charCodeAt(cut) & 0xfc00).not.toBe(0xdc00);
  }
});

it("two characters of a script without spaces count as a word", () => {
  expect(countWords("the old observatory")).toBe(3);
  expect(countWords("押金为两个月的租金")).toBe(5);
  expect(countWords("使用 Wi-Fi 上网")).toBe(3);
  expect(countWords("매주 금요일")).toBe(2);
});
