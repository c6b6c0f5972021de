/** A worker thread: owns one network, answers one request after another. */

import { parentPort, workerData } from "node:worker_threads";
import type { EncodedPassage } from "../../../../src/encode/types.js";
import { Network } from "./network.js";
import type { Close, Reply, Request, WorkerSetup } from "./protocol.js";

/** The buffers of a passage, so that they move to the other thread instead of being copied. */
function buffersOf(passage: EncodedPassage): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const collect = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) buffers.add(value.buffer as ArrayBuffer);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  collect(passage);
  return [...buffers];
}

const port = parentPort!;
const { folder, model } = workerData as WorkerSetup;
const network = Network.open(folder, model);
let queue: Promise<void> = Promise.resolve();
let closing = false;

async function answer(request: Request): Promise<void> {
  try {
    const net = await network;
    if (closing) return;
    if (request.kind === "question") {
      port.postMessage({
        id: request.id,
        kind: "question",
        encoded: await net.encodeQuestion(request.text, request.ids),
      } satisfies Reply);
      return;
    }
    const encoded: EncodedPassage[] = [];
    for (const input of request.inputs) {
      if (closing) return;
      encoded.push(await net.encodePassage(input, request.keepAll));
    }
    const reply: Reply = { id: request.id, kind: "passages", encoded };
    port.postMessage(reply, encoded.flatMap(buffersOf));
  } catch (error) {
    port.postMessage({
      id: request.id,
      kind: "error",
      message: error instanceof Error ? error.message : String(error),
    } satisfies Reply);
  }
}

port.on("message", (request: Request | Close) => {
  if (request.kind === "close") {
    closing = true;
    void queue.then(() => process.exit());
  } else queue = queue.then(() => answer(request));
});
