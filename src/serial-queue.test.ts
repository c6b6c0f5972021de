import { expect, it } from "vitest";
import { SerialQueue } from "./serial-queue.js";

it("runs work in the order in which it was added, one at a time, also after a failure", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const work = (name: string, turns: number) => async () => {
    log.push(`${name} begins`);
    for (let i = 0; i < turns; i++) await null;
    log.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const a = queue.run(work("a", 5));
  const b = queue.run(work("b", 3));
  const c = queue.run(() => "c");
  await expect(b).rejects.toThrow("b failed");
  expect([await a, await c]).toEqual(["a", "c"]);
  expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

it("is idle when everything added so far has ended", async () => {
  const queue = new SerialQueue();
  await queue.idle();
  let ended = false;
  const failing = queue.run(async () => {
    await null;
    ended = true;
    throw new Error("expected");
  });
  await queue.idle();
  expect(ended).toBe(true);
  await expect(failing).rejects.toThrow("expected");
});
