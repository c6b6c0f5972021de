/** One end of a channel to another thread or process. */

/**
 * What can move to the other side: an ArrayBuffer, a MessagePort, or whatever else the runtime
 * transfers.
 */
export type Movable = object;

export interface Endpoint {
  /** @throws if `message` cannot be cloned, or the channel is closed */
  post(message: unknown, transfer: readonly Movable[]): void;
  /** Called once, before anything is posted. */
  onMessage(listener: (message: unknown) => void): void;
  /**
   * @param listener  receives why the other side can no longer answer; may be called more than once
   */
  onLost(listener: (reason: unknown) => void): void;
  /**
   * While calls are under way the channel keeps the process alive, afterwards it does not. Absent
   * where a runtime has no such notion.
   */
  keepAlive?(on: boolean): void;
  /**
   * Ends the other side, if this side started it, or else the channel. May return a promise of the
   * end.
   */
  close(): unknown;
}

/** A browser's Worker, MessagePort or worker scope, as far as `webEndpoint` uses it. */
export interface WebPort {
  postMessage(message: unknown, transfer: never[]): void;
  addEventListener(type: string, listener: (event: Event) => void): void;
  /** Only a MessagePort has it. */
  start?(): void;
  close?(): void;
  terminate?(): void;
}

export function webEndpoint(port: WebPort): Endpoint {
  return {
    post: (message, transfer) => port.postMessage(message, [...transfer] as never[]),
    onMessage: (listener) => {
      port.addEventListener("message", (event) => listener((event as Event & { data: unknown }).data));
      port.start?.();
    },
    onLost: (listener) => {
      port.addEventListener("error", (event) => listener(reasonOf(event)));
      port.addEventListener("messageerror", () => listener(new Error("A message could not be deserialized.")));
      port.addEventListener("close", () => listener(new Error("The channel was closed.")));
    },
    close: () => (port.terminate === undefined ? port.close?.() : port.terminate()),
  };
}

function reasonOf(event: Event): unknown {
  const { error, message } = event as Event & { error?: unknown; message?: unknown };
  return error ?? new Error(typeof message === "string" ? message : "The worker failed to load.");
}
