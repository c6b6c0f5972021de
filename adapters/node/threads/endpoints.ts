/**
 * Node.js ends of a channel: worker threads, message ports and child processes. See adapters/rpc
 * for calls over them.
 */

import type { ChildProcess } from "node:child_process";
import { type MessagePort, parentPort, type Transferable, type Worker } from "node:worker_threads";
import type { Endpoint, Movable } from "../../rpc/endpoint.js";

/**
 * A worker thread, seen from the thread that started it. Closing the endpoint terminates the
 * thread.
 */
export function workerEndpoint(worker: Worker): Endpoint {
  return {
    post: (message, transfer) => worker.postMessage(message, listOf(transfer)),
    onMessage: (listener) => void worker.on("message", listener),
    onLost: (listener) => {
      worker.on("error", listener);
      worker.on("messageerror", listener);
      worker.on("exit", (status) => listener(new Error(`its thread ended with status ${status}.`)));
    },
    keepAlive: (on) => (on ? worker.ref() : worker.unref()),
    close: () => worker.terminate(),
  };
}

/** One end of a MessageChannel. */
export function portEndpoint(port: MessagePort): Endpoint {
  return {
    post: (message, transfer) => port.postMessage(message, listOf(transfer)),
    onMessage: (listener) => void port.on("message", listener),
    onLost: (listener) => {
      port.on("messageerror", listener);
      port.on("close", () => listener(new Error("the channel was closed.")));
    },
    keepAlive: (on) => (on ? port.ref() : port.unref()),
    close: () => port.close(),
  };
}

/** In a worker thread: the thread that started it. Closing lets the thread end. */
export function parentEndpoint(): Endpoint {
  if (parentPort === null) throw new Error("This module runs in a worker thread only.");
  const { keepAlive: _, ...endpoint } = portEndpoint(parentPort); // the thread lives as long as the port is open
  return endpoint;
}

/**
 * A child process with an IPC channel; start it with `serialization: "advanced"`, so that typed
 * arrays arrive as such. Nothing can be transferred. Closing the endpoint kills the process.
 */
export function childEndpoint(child: ChildProcess): Endpoint {
  return {
    post: (message) => {
      if (!child.connected) throw new Error("the process has ended.");
      child.send(message as object, () => {}); // a failed write is followed by `exit`
    },
    onMessage: (listener) => void child.on("message", listener),
    onLost: (listener) => {
      child.on("error", listener);
      child.on("exit", (status, signal) => listener(new ChildExit(status, signal)));
    },
    keepAlive: (on) => {
      if (on) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
    },
    close: () => void child.kill("SIGKILL"),
  };
}

/** The reason for which calls to a child process fail; it is the `cause` of their error. */
export class ChildExit extends Error {
  /** Null when a signal ended the process. */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(status: number | null, signal: NodeJS.Signals | null) {
    super(signal === null ? `its process ended with status ${status}.` : `its process was ended by ${signal}.`);
    this.name = "ChildExit";
    this.status = status;
    this.signal = signal;
  }
}

/**
 * In a child process: the process that started it. Closing disconnects, so that the process can
 * end.
 */
export function parentProcessEndpoint(): Endpoint {
  return {
    post: (message) => {
      if (process.send === undefined) throw new Error("the parent process has ended.");
      process.send(message, undefined, undefined, () => {}); // a failed write is followed by `disconnect`
    },
    onMessage: (listener) => void process.on("message", listener),
    onLost: (listener) => void process.on("disconnect", () => listener(new Error("the parent process has ended."))),
    close: () => {
      if (process.connected) process.disconnect();
    },
  };
}

function listOf(transfer: readonly Movable[]): readonly Transferable[] {
  return transfer as readonly Transferable[];
}
