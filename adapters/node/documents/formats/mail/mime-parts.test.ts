import { describe, expect, it } from "vitest";
import { hasMoreParts } from "./mime-parts.js";

const message = (body: string, boundary: string) =>
  Buffer.from(`From: a\r\nContent-Type: multipart/mixed; ${boundary}\r\n\r\n${body}`);

describe("hasMoreParts", () => {
  it("counts lines with a declared boundary", () => {
    const parts = message("--b\r\n\r\nx\r\n".repeat(4), "BOUNDARY=b");
    expect(hasMoreParts(parts, 3)).toBe(true);
    expect(hasMoreParts(parts, 4)).toBe(false);
  });

  it("knows a boundary with a space, which is quoted", () => {
    expect(hasMoreParts(message("--b 1\r\n\r\nx\r\n".repeat(4), 'boundary="b 1"'), 3)).toBe(true);
  });

  it("counts the line that closes a multipart", () => {
    expect(hasMoreParts(message("--b\n\nx\n--b--\n", "boundary=b"), 1)).toBe(true);
  });

  it("does not count other lines that begin with dashes", () => {
    expect(hasMoreParts(message("-- \r\n--x\r\n".repeat(10), "boundary=b"), 1)).toBe(false);
  });

  it("does not count a boundary inside a line", () => {
    expect(hasMoreParts(message("a --b\r\n".repeat(10), "boundary=b"), 1)).toBe(false);
  });
});
