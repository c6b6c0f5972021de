/**
 * Options of every ONNX session: one thread each, since inputs are spread over worker threads.
 * Where a session has several (LocalReader), they must not spin while they wait: other answering
 * threads need the cores.
 *
 * Exact products: on CPUs that have AVX2 or AVX-512 but not VNNI, the fastest int8 kernel adds pairs
 * of products in 16 bits, where they saturate. `x64quantprecision` chooses the kernel that cannot;
 * other CPUs ignore it.
 */

import type { InferenceSession } from "onnxruntime-web";

export const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
  extra: { session: { intra_op: { allow_spinning: "0" }, x64quantprecision: "1" } },
};
