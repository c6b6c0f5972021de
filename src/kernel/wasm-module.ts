/** The WASM module of this folder, with a memory of its own for each who uses it. */

import { WASM_BASE64 } from "./wasm-bytes.js";
import type { GrowableMemory } from "./wasm-memory.js";

/** 4 GiB: all that 32-bit addresses reach. Nothing is reserved before it is used. */
const MAXIMUM_PAGES = 65_536;

/** The part of the WebAssembly API that is used here. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Memory: new (limits: { initial: number; maximum: number }) => GrowableMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: unknown };
}

/** Compiled once; undefined where WASM SIMD is missing. */
let compiled: { api: WebAssemblyApi; module: object } | undefined;

/** @returns undefined where WASM SIMD is missing */
export function openWasmModule<Exports>(): { memory: GrowableMemory; exports: Exports } | undefined {
  if (compiled === undefined) {
    const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
    const bytes = Uint8Array.from(atob(WASM_BASE64), (character) => character.charCodeAt(0));
    if (api?.validate(bytes) !== true) return undefined;
    compiled = { api, module: new api.Module(bytes) };
  }
  const { api, module } = compiled;
  const memory = new api.Memory({ initial: 1, maximum: MAXIMUM_PAGES });
  return { memory, exports: new api.Instance(module, { env: { memory } }).exports as Exports };
}
