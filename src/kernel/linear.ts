/** W·x + bias of single precision, summed in double precision in the order of x: the same bits in WASM and in TypeScript. */

import { type Block, type GrowableMemory, WasmHeap } from "./wasm-memory.js";
import { openWasmModule } from "./wasm-module.js";

export interface LinearWeights {
  /** [outputs × inputs] */
  weight: Float32Array;
  /** [outputs] */
  bias: Float32Array;
}

/** @param x  [inputs] @returns [outputs] */
export type Linear = (x: Float32Array) => Float32Array;

interface LinearExports {
  linear(weight: number, bias: number, x: number, inputs: number, outputs: number, out: number): void;
}

/** In WASM where there is one: of a program that has just begun, a sum in TypeScript makes an object of every product. */
export function createLinear(weights: LinearWeights): Linear {
  const opened = openWasmModule<LinearExports>();
  return opened === undefined ? (x) => plainLinear(weights, x) : wasmLinear(weights, opened);
}

function wasmLinear(
  { weight, bias }: LinearWeights,
  { memory, exports }: { memory: GrowableMemory; exports: LinearExports },
): Linear {
  const outputs = bias.length;
  const inputs = weight.length / outputs;
  const heap = new WasmHeap(memory);
  const blocks = heap.allocateAll({
    weight: weight.byteLength,
    bias: bias.byteLength,
    x: inputs * 4,
    out: outputs * 4,
  });
  const floats = ({ address }: Block, count: number): Float32Array => new Float32Array(heap.buffer, address, count);
  floats(blocks.weight, weight.length).set(weight);
  floats(blocks.bias, outputs).set(bias);
  return (x) => {
    floats(blocks.x, inputs).set(x);
    exports.linear(blocks.weight.address, blocks.bias.address, blocks.x.address, inputs, outputs, blocks.out.address);
    return floats(blocks.out, outputs).slice();
  };
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
