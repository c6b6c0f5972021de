/**
 * Exact products of int8 in the native ONNX Runtime.
 *
 * On x64 CPUs without VNNI, its fastest kernel adds pairs of products in 16 bits, where they saturate.
 * The session option `x64quantprecision` chooses a kernel that cannot, and that takes half as long
 * again on CPUs where the fastest one is exact. So one small product shows which one a CPU needs
 * (docs/research/2026-11-25-integer-products.md).
 */

import type { InferenceSession, Tensor } from "onnxruntime-web";

interface NativeRuntime {
  InferenceSession: { create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession> };
  Tensor: typeof Tensor;
}

/** An ONNX graph: x (uint8 [4, 4]) times a constant (int8 [4, 4], all 127) is y (int32 [4, 4]), by MatMulInteger. */
const PROBE =
  "CAgSADpkChgKAXgKAXcSAXkiDU1hdE11bEludGVnZXISAWcqGwgECAQQA0IBd0oQf39/f39/f39/f39/f39/f1oTCgF4Eg4KDAgCEggKAggECgIIBGITCgF5Eg4KDAgGEggKAggECgIIBEIECgAQEQ==";
const PRODUCT = 4 * 255 * 127;

/** Session options with the one that makes products exact, if this CPU needs it. */
export type WithExactProducts = (options: InferenceSession.SessionOptions) => InferenceSession.SessionOptions;

/** Takes a millisecond. */
export async function exactProducts(runtime: NativeRuntime): Promise<WithExactProducts> {
  if (process.arch !== "x64" || (await isExact(runtime))) return (options) => options;
  return (options) => {
    const session = { ...(options.extra?.session as object | undefined), x64quantprecision: "1" };
    return { ...options, extra: { ...options.extra, session } };
  };
}

/** Whether the fastest kernel is exact. */
async function isExact({ InferenceSession: Session, Tensor: OrtTensor }: NativeRuntime): Promise<boolean> {
  const session = await Session.create(Buffer.from(PROBE, "base64"), { intraOpNumThreads: 1, logSeverityLevel: 3 });
  const { y } = await session.run({ x: new OrtTensor("uint8", new Uint8Array(16).fill(255), [4, 4]) });
  await session.release();
  return (y!.data as Int32Array).every((value) => value === PRODUCT);
}
