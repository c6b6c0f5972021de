/**
 * W·x + bias in single precision, summed in double precision in the order of x. WASM and TypeScript
 * give the same bits.
 */

import { type WasmInstance, wasmInstance } from "./wasm-instance.js";
import type { Block } from "./wasm-memory.js";

interface LinearWeights {
  /** [outputs × inputs] */
  weight: Float32Array;
  /** [outputs] */
  bias: Float32Array;
}

/** @param x  [inputs] @returns [outputs] */
export type Linear = (x: Float32Array) => Float32Array;

/** Returns a layer's blocks to the heap once the layer is unreachable: a model has no close(). */
const finalizer = new FinalizationRegistry<() => void>((release) => release());

/** Runs in WASM where possible: before JIT warm-up, TypeScript allocates a heap number per product. */
export function createLinear(weights: LinearWeights): Linear {
  const wasm = wasmInstance();
  return wasm === undefined ? (x) => plainLinear(weights, x) : wasmLinear(weights, wasm);
}

function wasmLinear({ weight, bias }: LinearWeights, { heap, scratch, exports }: WasmInstance): Linear {
  const outputs = bias.length;
  const inputs = weight.length / outputs;
  const blocks = heap.allocateAll({ weight: weight.byteLength, bias: bias.byteLength });
  const floatsAt = ({ address }: Block): number => address >>> 2;
  heap.views.float32.set(weight, floatsAt(blocks.weight));
  heap.views.float32.set(bias, floatsAt(blocks.bias));
  const linear: Linear = (x) => {
    const [xAt, outAt] = scratch.reserve(inputs * 4, outputs * 4) as [number, number];
    const { float32 } = heap.views;
    float32.set(x, xAt >>> 2);
    exports.linear(blocks.weight.address, blocks.bias.address, xAt, inputs, outputs, outAt);
    return float32.slice(outAt >>> 2, (outAt >>> 2) + outputs);
  };
  finalizer.register(linear, () => {
    heap.release(blocks.weight);
    heap.release(blocks.bias);
  });
  return linear;
}

/** The twin in TypeScript. */
export function plainLinear({ weight, bias }: LinearWeights, x: Float32Array): Float32Array {
  return bias.map((sum, o) => {
    const from = o * x.length;
    let total = sum;
    for (let h = 0; h < x.length; h++) total += weight[from + h]! * x[h]!;
    return total;
  });
}
