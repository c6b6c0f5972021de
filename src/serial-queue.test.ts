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

it("keeps a generator's turn until it ends, is left, or fails", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  async function* numbers(name: string): AsyncGenerator<number> {
    for (let n = 0; n < 3; n++) {
      log.push(`${name}${n}`);
      yield n;
    }
  }
  const take = async (name: string, leaveAt: number): Promise<void> => {
    for await (const n of queue.stream(() => numbers(name))) if (n === leaveAt) break;
  };
  const failing = (async () => {
    for await (const _ of queue.stream(() => numbers("x"))) throw new Error("expected");
  })();
  const refused = expect(failing).rejects.toThrow("expected");
  await Promise.all([take("a", 9), take("b", 1), queue.run(() => log.push("run")), refused]);
  expect(log).toEqual(["x0", "a0", "a1", "a2", "b0", "b1", "run"]);
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
