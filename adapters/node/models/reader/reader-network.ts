/** The reader's network: one ONNX session, one input at a time (no padding). */

import { join } from "node:path";
import type { InferenceSession, Tensor } from "onnxruntime-web";
import type { ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import { SESSION_OPTIONS } from "../encoder/session-options.js";
import { loadRuntime, type Runtime } from "../runtime.js";
import { type ModelHashes, openVerified, verifyModelOnce } from "../verify-model.js";

export class ReaderNetwork {
  readonly #runtime: Runtime;
  readonly #session: InferenceSession;

  private constructor(runtime: Runtime, session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /**
   * @param threads  threads that share the work on one input; the logits do not depend on it
   * @throws VerbatimError `model-missing` for a damaged file; what ONNX Runtime throws
   */
  static async open(folder: string, files: ModelHashes, threads = 1): Promise<ReaderNetwork> {
    const options = { ...SESSION_OPTIONS, intraOpNumThreads: threads };
    return openVerified(verifyModelOnce(folder, files), async () => {
      const runtime = await loadRuntime();
      return new ReaderNetwork(runtime, await runtime.createSession(join(folder, "reader.onnx"), options));
    });
  }

  async read({ ids, questionTokens }: ReaderInput): Promise<ReaderOutput> {
    const { Tensor: OrtTensor } = this.#runtime;
    const tensor = (values: Int32Array): Tensor => new OrtTensor("int32", values, [1, ids.length]);
    const kinds = new Int32Array(ids.length).fill(1, questionTokens);
    const mask = new Int32Array(ids.length).fill(1);
    const out = await this.#session.run({
      ids: tensor(Int32Array.from(ids)),
      kinds: tensor(kinds),
      mask: tensor(mask),
    });
    const { start, end, answer } = out;
    return {
      start: (start!.data as Float32Array).slice(),
      end: (end!.data as Float32Array).slice(),
      answer: (answer!.data as Float32Array)[0]!,
    };
  }

  /** Frees the memory. No call may be in progress, or follow. */
  async close(): Promise<void> {
    await this.#session.release();
  }
}
