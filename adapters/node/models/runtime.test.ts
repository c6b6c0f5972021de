import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { tinyModel } from "../../../test/cli/run-cli.js";
import { openEncoder } from "./encoder/encoder.js";
import { SESSION_OPTIONS } from "./encoder/session-options.js";
import { chosenRuntime, loadWasm } from "./runtime.js";

afterEach(() => vi.unstubAllEnvs());

it("VERBATIM_RUNTIME is native, wasm or empty; anything else is refused before a model is loaded", async () => {
  for (const [value, choice] of [
    ["native", "native"],
    ["wasm", "wasm"],
    ["", undefined],
  ] as const) {
    vi.stubEnv("VERBATIM_RUNTIME", value);
    expect(chosenRuntime()).toBe(choice);
  }
  vi.stubEnv("VERBATIM_RUNTIME", "foo");
  await expect(openEncoder({ modelFolder: tinyModel })).rejects.toMatchObject({
    code: "invalid-argument",
    message: "VERBATIM_RUNTIME must be native or wasm, not foo.",
  });
});

it("the WebAssembly runtime leaves the options it is given as they are", async () => {
  const before = structuredClone(SESSION_OPTIONS);
  await (await loadWasm()).createSession(join(tinyModel, "encoder.onnx"), SESSION_OPTIONS);
  expect(SESSION_OPTIONS).toEqual(before);
});
