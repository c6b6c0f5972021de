/** A worker thread of the reader: owns one network, answers one request after another. */

import { parentPort, workerData } from "node:worker_threads";
import type { ReaderOutput } from "../../../../src/reader/types.js";
import type { Close } from "../../threads/worker-pool.js";
import type { Reply, Request, WorkerSetup } from "./protocol.js";
import { ReaderNetwork } from "./reader-network.js";

const port = parentPort!;
const network = ReaderNetwork.open((workerData as WorkerSetup).folder);
network.catch(() => {}); // told to the first request
let queue: Promise<void> = Promise.resolve();
let closing = false;

async function answer({ id, inputs }: Request): Promise<void> {
  try {
    const net = await network;
    const outputs: ReaderOutput[] = [];
    for (const input of inputs) {
      if (closing) return;
      outputs.push(await net.read(input));
    }
    const reply: Reply = { id, kind: "read", outputs };
    const buffers = outputs.flatMap(({ start, end }) => [start.buffer as ArrayBuffer, end.buffer as ArrayBuffer]);
    port.postMessage(reply, buffers);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    port.postMessage({ id, kind: "error", message } satisfies Reply);
  }
}

port.on("message", (request: Request | Close) => {
  if (request.kind === "close") {
    closing = true;
    void queue.then(() => process.exit());
  } else queue = queue.then(() => answer(request));
});
