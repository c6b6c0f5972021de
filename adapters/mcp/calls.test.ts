import { expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import type { Log } from "../server/http/log.js";
import { publicMessage } from "./calls.js";

it("a call that was stopped is not logged as an error; an internal error is", () => {
  const events: string[] = [];
  const log: Log = (level, event) => void events.push(`${level} ${event}`);
  expect(publicMessage(new VerbatimError("aborted", "The operation was stopped."), log)).toMatch(/^The request was/);
  expect(events).toEqual([]);
  expect(publicMessage(new VerbatimError("corrupt-segment", "/home/ana is damaged."), log)).toMatch(/^Internal error/);
  expect(events).toEqual(["error failed"]);
});
