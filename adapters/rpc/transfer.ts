/** Results whose buffers move to the caller instead of being copied. */

import type { Movable } from "./endpoint.js";

export class Transferred<T> {
  readonly value: T;
  readonly list: readonly Movable[];

  constructor(value: T, list: readonly Movable[]) {
    this.value = value;
    this.list = list;
  }
}

/**
 * Marks a result or an item of a stream: its buffers move, and the sender can no longer use them.
 */
export function transfer<T>(value: T): Transferred<T> {
  return new Transferred(value, buffersOf(value));
}

/** The buffers of all typed arrays in a value made of plain objects and arrays. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const collect = (part: unknown): void => {
    if (ArrayBuffer.isView(part)) {
      if (part.buffer instanceof ArrayBuffer) buffers.add(part.buffer);
    } else if (Array.isArray(part)) part.forEach(collect);
    else if (typeof part === "object" && part !== null) Object.values(part).forEach(collect);
  };
  collect(value);
  return [...buffers];
}
