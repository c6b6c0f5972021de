import { expect, it } from "vitest";
import { EventLoopTurns } from "./event-loop-turns.js";

it("lets timers run when a turn is due", async () => {
  let ran = false;
  setTimeout(() => {
    ran = true;
  }, 0);
  await new EventLoopTurns(0).next();
  expect(ran).toBe(true);
});

it("does not wait before a turn is due", () => {
  expect(new EventLoopTurns(Number.POSITIVE_INFINITY).next()).toBeUndefined();
});
