import { expect, it } from "vitest";
import { boxesOf } from "./originals.js";

const word = (start: number, page: number, box: string) => ({ start, page, path: `xywh=percent:${box}` });

it("recognised words are rectangles, one for each line of a range", () => {
  const segments = [
    { start: 0, page: 1 },
    word(10, 1, "10,20,5,2"),
    word(15, 1, "16,20.5,7,2"),
    word(22, 1, "80,20,4,2"),
    word(27, 1, "10,25,6,2"),
    word(33, 2, "10,25,6,2"),
    { start: 40, page: 2, path: "row 3" },
  ];
  const line = { page: 1, left: 10, top: 20, width: 13, height: 2.5 };
  expect(boxesOf({ kind: "pdf", segments }, { from: 12, to: 20 })).toEqual([line]);
  expect(boxesOf({ kind: "pdf", segments }, { from: 10, to: 50 })).toEqual([
    { ...line, width: 74 },
    { page: 1, left: 10, top: 25, width: 6, height: 2 },
    { page: 2, left: 10, top: 25, width: 6, height: 2 },
  ]);
  expect(boxesOf({ kind: "pdf", segments }, { from: 0, to: 10 })).toEqual([]);
});
