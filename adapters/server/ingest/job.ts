import { randomUUID } from "node:crypto";
import type { JobView } from "../http/schemas.js";
import type { Change } from "./protocol.js";

/** A change on its way into the index. */
export interface Job {
  readonly number: number;
  readonly change: Change;
  readonly view: JobView;
  /** Memory and disk that it takes while it waits. */
  readonly bytes: number;
  cancelled: boolean;
  /** Resolves when the job has ended, successfully or not. */
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

export function newJob(number: number, change: Change): Job {
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const view: JobView = {
    id: randomUUID(),
    kind: change.kind,
    state: "waiting",
    progress: 0,
    documents: 0,
    unchanged: 0,
    deleted: 0,
    passages: 0,
    skipped: [],
    version: null,
  };
  return { number, change, view, bytes: bytesOf(change), cancelled: false, settled, settle };
}

export function hasEnded({ state }: JobView): boolean {
  return state !== "waiting" && state !== "running";
}

/** Bytes of a change's content: text, title, source and metadata, or the uploaded file. */
export function bytesOf(change: Change): number {
  if (change.kind === "upload") return change.bytes;
  if (change.kind === "put") return valueBytes(change.documents);
  return change.kind === "delete" ? valueBytes(change.ids) : 0;
}

/**
 * An estimate of the memory of a JSON value: two bytes per UTF-16 unit, 16 per value.
 * @param atMost  stops counting beyond it
 */
export function valueBytes(value: unknown, atMost = Number.POSITIVE_INFINITY): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes <= atMost) {
    const next = open.pop();
    bytes += 16;
    if (typeof next === "string") bytes += next.length * 2;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        bytes += key.length * 2;
        open.push(item);
      }
    }
  }
  return bytes;
}
