/** Options of every ONNX session: one thread each, since inputs are spread over worker threads. */

import type { InferenceSession } from "onnxruntime-node";

export const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
};
