/**
 * The reader's network in this thread: one ONNX session with one intra-op thread, one input at a
 * time (no padding).
 */

import "../encoder/no-telemetry.js";

import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import { SESSION_OPTIONS } from "../encoder/session-options.js";
import { type ModelHashes, openVerified, verifyModelOnce } from "../verify-model.js";

export class ReaderNetwork {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** @throws VerbatimError `model-missing` for a damaged file; what ONNX Runtime throws */
  static async open(folder: string, files: ModelHashes): Promise<ReaderNetwork> {
    return openVerified(verifyModelOnce(folder, files), async () => {
      return new ReaderNetwork(await InferenceSession.create(join(folder, "reader.onnx"), SESSION_OPTIONS));
    });
  }

  async read(input: ReaderInput): Promise<ReaderOutput> {
    return (await this.readBatch([input]))[0]!;
  }

  /**
   * Runs inputs together, padded to the longest. With int8 the inputs of a batch share a rounding
   * scale, so logits differ slightly from single runs.
   */
  async readBatch(inputs: readonly ReaderInput[]): Promise<ReaderOutput[]> {
    const width = Math.max(...inputs.map(({ ids }) => ids.length));
    const shape = [inputs.length, width];
    const ids = new Int32Array(inputs.length * width);
    const kinds = new Int32Array(ids.length);
    const mask = new Int32Array(ids.length);
    for (const [b, input] of inputs.entries()) {
      ids.set(input.ids, b * width);
      kinds.fill(1, b * width + input.questionTokens, b * width + input.ids.length);
      mask.fill(1, b * width, b * width + input.ids.length);
    }
    const tensor = (values: Int32Array): Tensor => new Tensor("int32", values, shape);
    const out = await this.#session.run({ ids: tensor(ids), kinds: tensor(kinds), mask: tensor(mask) });
    const start = out.start!.data as Float32Array;
    const end = out.end!.data as Float32Array;
    const answer = out.answer!.data as Float32Array;
    return inputs.map((input, b) => ({
      start: start.slice(b * width, b * width + input.ids.length),
      end: end.slice(b * width, b * width + input.ids.length),
      answer: answer[b]!,
    }));
  }

  /** Frees the memory. No call may be in progress, or follow. */
  async close(): Promise<void> {
    await this.#session.release();
  }
}
