/**
 * A worker thread of the reader: owns one network and answers one request after another, from any
 * channel.
 */

import { type MessagePort, workerData } from "node:worker_threads";
import { throwIfAborted } from "../../../../src/errors.js";
import type { ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import { SerialQueue } from "../../../../src/serial-queue.js";
import type { Endpoint } from "../../../rpc/endpoint.js";
import { serve } from "../../../rpc/server.js";
import { transfer } from "../../../rpc/transfer.js";
import { parentEndpoint, portEndpoint } from "../../threads/rpc.js";
import { ReaderNetwork } from "./reader-network.js";
import type { ReaderService, ReaderSetup } from "./reader-service.js";

const { folder, files } = workerData as ReaderSetup;
const network = ReaderNetwork.open(folder, files);
network.catch(() => {}); // reported by the first request
const queue = new SerialQueue();

async function read(inputs: readonly ReaderInput[], signal: AbortSignal): Promise<ReaderOutput[]> {
  const outputs: ReaderOutput[] = [];
  for (const input of inputs) {
    throwIfAborted(signal);
    outputs.push(await (await network).read(input));
  }
  return outputs;
}

function serveReader(endpoint: Endpoint, onClose?: () => void): void {
  serve<ReaderService>(
    endpoint,
    {
      read: (inputs, { signal }) => queue.run(async () => transfer(await read(inputs, signal))),
      connect: (port: MessagePort) => serveReader(portEndpoint(port)),
    },
    { onClose },
  );
}

serveReader(parentEndpoint(), () => process.exit());
