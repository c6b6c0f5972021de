import { vi } from "vitest";
import { Connection } from "../../adapters/opensearch/connection/connection.js";

/** Runs `before` once, ahead of the next call of a method of the connection that `when` selects. */
export function intercept<M extends "searches" | "send">(
  method: M,
  when: (...given: Parameters<Connection[M]>) => boolean,
  before: () => Promise<unknown>,
): void {
  const original = Connection.prototype[method] as (...given: unknown[]) => Promise<unknown>;
  let isDone = false;
  vi.spyOn(Connection.prototype, method).mockImplementation(async function (this: Connection, ...given: unknown[]) {
    if (!isDone && when(...(given as Parameters<Connection[M]>))) {
      isDone = true;
      await before();
    }
    return original.apply(this, given);
  } as never);
}
