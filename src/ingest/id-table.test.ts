import { expect, it } from "vitest";
import { IdTable } from "./id-table.js";

it("holds a number for each id, 0 and the last one included", () => {
  const table = new IdTable();
  const ids = ["", "a", "notes/bell.md", "文档", "record-1", ...Array.from({ length: 5000 }, (_, n) => `r${n}`)];
  for (const [n, id] of ids.entries()) {
    expect(table.has(id)).toBe(false);
    table.set(id, n);
  }
  table.set("a", 2 ** 32 - 2);
  expect(table.size).toBe(ids.length);
  for (const [n, id] of ids.entries()) expect(table.get(id)).toBe(id === "a" ? 2 ** 32 - 2 : n);
  expect(table.get("record-2")).toBeUndefined();
});
