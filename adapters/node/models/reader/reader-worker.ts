/** A worker thread of the reader: owns one network and answers one request after another. */

import { workerData } from "node:worker_threads";
import { SerialQueue } from "../../../../src/serial-queue.js";
import { serve } from "../../../rpc/server.js";
import { transfer } from "../../../rpc/transfer.js";
import { parentEndpoint } from "../../threads/endpoints.js";
import { LocalReader } from "./local-reader.js";
import type { ReaderService, ReaderSetup } from "./reader-service.js";

const reader = new LocalReader(workerData as ReaderSetup, 1);
const queue = new SerialQueue();

serve<ReaderService>(
  parentEndpoint(),
  { read: (inputs, { signal }) => queue.run(async () => transfer(await reader.read(inputs, { signal }))) },
  { onClose: () => process.exit() },
);
