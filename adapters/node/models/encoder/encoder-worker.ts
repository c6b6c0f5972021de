/** A worker thread of the encoder: owns one network and answers one request after another. */

import { workerData } from "node:worker_threads";
import type { EncodedPassage } from "../../../../src/encode/types.js";
import { throwIfAborted } from "../../../../src/errors.js";
import { LoadOnce } from "../../../../src/load-once.js";
import { SerialQueue } from "../../../../src/serial-queue.js";
import { serve } from "../../../rpc/server.js";
import { transfer } from "../../../rpc/transfer.js";
import { parentEndpoint } from "../../threads/endpoints.js";
import type { EncoderService, EncoderSetup } from "./encoder-service.js";
import { Network } from "./network.js";

const { folder, model } = workerData as EncoderSetup;
const network = new LoadOnce(() => Network.open(folder, model));
network.get().catch(() => {}); // the first request tries again
const queue = new SerialQueue();

serve<EncoderService>(
  parentEndpoint(),
  {
    encodePassages: ({ inputs, keepAll }, { signal }) =>
      queue.run(async () => {
        const encoded: EncodedPassage[] = [];
        for (const input of inputs) {
          throwIfAborted(signal);
          encoded.push(await (await network.get()).encodePassage(input, keepAll));
        }
        return transfer(encoded);
      }),
    encodeQuestion: ({ text, ids }, { signal }) =>
      queue.run(async () => {
        throwIfAborted(signal);
        return (await network.get()).encodeQuestion(text, ids);
      }),
  },
  { onClose: () => process.exit() },
);
