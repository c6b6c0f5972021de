import { expect, it } from "vitest";
import { progressLine } from "./progress.js";

it("prints a percentage and the caller's counts, or bytes when the caller counts bytes", () => {
  expect(progressLine(21, 954, "21 of 954 passages")).toBe("2 %  21 of 954 passages");
  expect(progressLine(1_500_000, 3_000_000)).toBe("50 %  1.4 MB of 2.9 MB");
  expect(progressLine(0, 0, "0 of 0 files")).toBe("0 %  0 of 0 files");
});
