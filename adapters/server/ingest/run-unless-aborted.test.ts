import { expect, it } from "vitest";
import { SerialQueue } from "../../../src/serial-queue.js";
import { runUnlessAborted } from "./run-unless-aborted.js";

const never = new AbortController().signal;

/** A queue whose turn is taken until `end` is called. */
function busyQueue(): { queue: SerialQueue; end: () => void } {
  const queue = new SerialQueue();
  let end = (): void => {};
  const busy = new Promise<void>((resolve) => {
    end = resolve;
  });
  void queue.run(() => busy);
  return { queue, end };
}

it("work that waits ends at once when it is aborted, and never runs; the work before and after it does", async () => {
  const { queue, end } = busyQueue();
  const ran: string[] = [];
  const abort = new AbortController();
  const aborted = runUnlessAborted(queue, async () => ran.push("aborted"), abort.signal);
  const next = runUnlessAborted(queue, async () => ran.push("next"), never);
  abort.abort();
  await expect(aborted).rejects.toMatchObject({ code: "aborted" }); // while the turn before it is still taken
  expect(ran).toEqual([]);
  end();
  await next;
  expect(ran).toEqual(["next"]);
});

it("work whose signal has fired already does not wait for its turn", async () => {
  const { queue } = busyQueue();
  const work = runUnlessAborted(queue, async () => expect.unreachable(), AbortSignal.abort());
  await expect(work).rejects.toMatchObject({ code: "aborted" });
});

it("work that has begun keeps its turn until it ends by itself", async () => {
  const { queue, end } = busyQueue();
  const log: string[] = [];
  const abort = new AbortController();
  const first = runUnlessAborted(
    queue,
    async () => {
      abort.abort();
      await null;
      log.push("first ended");
      return "first";
    },
    abort.signal,
  );
  const second = runUnlessAborted(queue, async () => log.push("second began"), never);
  end();
  expect(await first).toBe("first");
  await second;
  expect(log).toEqual(["first ended", "second began"]);
});
