/**
 * Options of every ONNX session: one thread each, since inputs are spread over worker threads.
 * Where a session has several (LocalReader), they must not spin while they wait: other answering
 * threads need the cores.
 */

import type { InferenceSession } from "onnxruntime-web";

export const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
  extra: { session: { intra_op: { allow_spinning: "0" } } },
};
