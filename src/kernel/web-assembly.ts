/** The part of the WebAssembly API that is used here (`src/` has no DOM types). */

/** Bytes of a page. */
export const PAGE = 65_536;
/** 4 GiB, all that 32-bit addresses reach. Pages are reserved only when used. */
export const MAXIMUM_PAGES = 65_536;

/** Memory of one thread. Growing replaces the buffer. */
export interface GrowableMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Memory of several threads. Growing keeps earlier buffers, which see the same bytes. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** @returns the pages before. @throws RangeError beyond the maximum */
  grow(pages: number): number;
}

interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Memory: {
    new (limits: { initial: number; maximum: number; shared: true }): SharedMemory;
    new (limits: { initial: number; maximum: number }): GrowableMemory;
  };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: unknown };
}

export function webAssembly(): WebAssemblyApi | undefined {
  return (globalThis as unknown as { WebAssembly?: WebAssemblyApi }).WebAssembly;
}

const modules = new Map<string, object | undefined>();

/** Compiles a module, once. @returns undefined where WebAssembly lacks what it uses */
export function wasmModule(base64: string): object | undefined {
  if (modules.has(base64)) return modules.get(base64);
  const api = webAssembly();
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const module = api?.validate(bytes) === true ? new api.Module(bytes) : undefined;
  modules.set(base64, module);
  return module;
}
