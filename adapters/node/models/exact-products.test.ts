import { InferenceSession, Tensor } from "onnxruntime-web";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SESSION_OPTIONS } from "./encoder/session-options.js";
import { exactProducts } from "./exact-products.js";

type Runtime = Parameters<typeof exactProducts>[0];

/** A runtime whose products are all `value`. */
function runtimeThatSays(value: number): { runtime: Runtime; release: ReturnType<typeof vi.fn> } {
  const release = vi.fn();
  const run = async () => ({ y: { data: new Int32Array(16).fill(value) } });
  const create = async () => ({ run, release }) as unknown as InferenceSession;
  return { runtime: { InferenceSession: { create }, Tensor }, release };
}

function onProcessor(arch: string): void {
  vi.spyOn(process, "arch", "get").mockReturnValue(arch as typeof process.arch);
}

afterEach(() => vi.restoreAllMocks());

describe("exactProducts", () => {
  it("leaves the options as they are where the fastest kernel is exact", async () => {
    onProcessor("x64");
    const { runtime, release } = runtimeThatSays(4 * 255 * 127);
    expect((await exactProducts(runtime))(SESSION_OPTIONS)).toBe(SESSION_OPTIONS);
    expect(release).toHaveBeenCalledOnce();
  });

  it("adds the option where products saturate, and keeps the others", async () => {
    onProcessor("x64");
    const { runtime } = runtimeThatSays(2 * 32_767); // what a CPU with AVX2 alone computes
    const options = (await exactProducts(runtime))(SESSION_OPTIONS);
    expect(options).toEqual({
      ...SESSION_OPTIONS,
      extra: { session: { intra_op: { allow_spinning: "0" }, x64quantprecision: "1" } },
    });
    expect((await exactProducts(runtime))({})).toEqual({ extra: { session: { x64quantprecision: "1" } } });
  });

  it("asks only processors that have the option", async () => {
    onProcessor("arm64");
    const { runtime } = runtimeThatSays(2 * 32_767);
    expect((await exactProducts(runtime))(SESSION_OPTIONS)).toBe(SESSION_OPTIONS);
  });

  it("asks with a graph that the WebAssembly build computes exactly", async () => {
    onProcessor("x64");
    const create = (model: Uint8Array, options: InferenceSession.SessionOptions) =>
      InferenceSession.create(model, { ...structuredClone(options), executionProviders: ["wasm"] });
    expect((await exactProducts({ InferenceSession: { create }, Tensor }))(SESSION_OPTIONS)).toBe(SESSION_OPTIONS);
  });
});
