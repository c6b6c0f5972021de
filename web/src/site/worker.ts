/**
 * Runs the phrase model in a worker, with ONNX Runtime's WebAssembly in one thread: a question
 * takes 7 ms, so more would not help.
 */

import * as ort from "onnxruntime-web/wasm";
import { servePhrases } from "../../../adapters/browser/phrase-worker.js";
import type { OpenNetwork } from "../../../adapters/browser/site-encoder.js";
import type { WebPort } from "../../../adapters/rpc/endpoint.js";

/** The outputs that a question needs; a model without passage vectors lacks the last. */
const OUTPUTS = ["cls", "ngrams", "question_vector"];

const openNetwork: OpenNetwork = async ({ model, runtime }) => {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = await gunzip(runtime);
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
  const outputs = OUTPUTS.filter((name) => session.outputNames.includes(name));
  return {
    async run(ids) {
      const input = new ort.Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]);
      const out = await session.run({ ids: input }, outputs);
      const data = (name: string): Float32Array => (out[name]?.data as Float32Array | undefined) ?? new Float32Array(0);
      return { cls: data("cls"), ngrams: data("ngrams"), vector: data("question_vector") };
    },
    close: () => session.release(),
  };
};

function gunzip(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

servePhrases(self as unknown as WebPort, openNetwork);
