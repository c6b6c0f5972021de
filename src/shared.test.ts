import { expect, it } from "vitest";
import { Shared } from "./shared.js";

function counted() {
  const closed: string[] = [];
  return { closed, shared: new Shared("value", (value) => void closed.push(value)) };
}

it("closes when the last user releases it, not before", async () => {
  const { closed, shared } = counted();
  expect(shared.hold()).toBe(shared);
  await shared.release();
  expect(closed).toEqual([]);
  await shared.use(async (value) => {
    expect(value).toBe("value");
    await shared.release();
    expect(shared.isClosed).toBe(false);
  });
  expect(closed).toEqual(["value"]);
  expect(shared.isClosed).toBe(true);
});

it("releases after a failure, and throws what the work threw", async () => {
  const { closed, shared } = counted();
  const work = shared.use(() => {
    throw new Error("expected");
  });
  await expect(work).rejects.toThrow("expected");
  await shared.release();
  expect(closed).toEqual(["value"]);
});

it("closes once only when it is closed while in use", async () => {
  const { closed, shared } = counted();
  shared.hold();
  await shared.closeNow();
  await shared.closeNow();
  await shared.release();
  await shared.release();
  expect(closed).toEqual(["value"]);
});
