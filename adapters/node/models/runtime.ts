/**
 * ONNX Runtime: the native library where it is installed and loads, else its WebAssembly build, which
 * runs everywhere with the same models and is several times slower.
 */

import "./encoder/no-telemetry.js";

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import type { InferenceSession, Tensor } from "onnxruntime-web";
import { VerbatimError } from "../../../src/errors.js";
import { LoadOnce } from "../../../src/load-once.js";
import { exactProducts } from "./exact-products.js";

export interface Runtime {
  readonly Tensor: typeof Tensor;
  /** @throws what ONNX Runtime throws for a file that is not a model */
  createSession(path: string, options: InferenceSession.SessionOptions): Promise<InferenceSession>;
}

/** `native` or `wasm`; otherwise the native library if it loads. */
const CHOICE = "VERBATIM_RUNTIME";
const CHOICES = ["native", "wasm"] as const;

/**
 * The runtime that the environment names; undefined if it names none.
 * @throws VerbatimError `invalid-argument` for another value
 */
export function chosenRuntime(): (typeof CHOICES)[number] | undefined {
  const value = process.env[CHOICE];
  if (value === undefined || value === "") return undefined;
  const choice = CHOICES.find((known) => known === value);
  if (choice !== undefined) return choice;
  throw new VerbatimError("invalid-argument", `${CHOICE} must be ${CHOICES.join(" or ")}, not ${value}.`, {
    found: value,
    expected: CHOICES.join(", "),
    hint: `Set ${CHOICE} to one of the two, or unset it.`,
  });
}

/** The factor is measured in docs/evaluation.md, "Size and speed". */
const NOTICE =
  "note: The native ONNX Runtime is not installed; its WebAssembly build is used, which is 4 to 7 times slower. To install it: npm i onnxruntime-node";

const runtime = new LoadOnce(load);
let noticed = false;

/** Loads the runtime once per thread. */
export function loadRuntime(): Promise<Runtime> {
  return runtime.get();
}

async function load(): Promise<Runtime> {
  const choice = chosenRuntime();
  if (choice === "wasm") return loadWasm();
  try {
    return await loadNative();
  } catch (error) {
    if (choice === "native") throw error;
    if (isMainThread) noticeOnce();
    return loadWasm();
  }
}

/** The native library. @throws if it is not installed or does not load */
export async function loadNative(): Promise<Runtime> {
  // a name in a variable: the type checker must not need the package
  const name = "onnxruntime-node";
  const native = (await import(name)) as typeof import("onnxruntime-web");
  const withExactProducts = await exactProducts(native);
  return {
    Tensor: native.Tensor,
    createSession: (path, options) => native.InferenceSession.create(path, withExactProducts(options)),
  };
}

/** The WebAssembly build. */
export async function loadWasm(): Promise<Runtime> {
  const { env, InferenceSession: Session, Tensor } = await import("onnxruntime-web");
  env.wasm.numThreads = 1; // worker threads have one network each
  return {
    Tensor,
    createSession: async (path, options) => {
      // a deep copy, because the library writes its own entries into `extra.session`
      return Session.create(await readFile(path), { ...structuredClone(options), executionProviders: ["wasm"] });
    },
  };
}

/**
 * Says on standard error, once, that the slower runtime will be used. For threads that open a model
 * and leave running it to worker threads.
 */
export function noticeMissingRuntime(): void {
  if (chosenRuntime() === undefined && isMainThread && !hasNative()) noticeOnce();
}

function noticeOnce(): void {
  if (!noticed) process.stderr.write(`${NOTICE}\n`);
  noticed = true;
}

/** Whether the package has a library for this platform; it may still fail to load. */
function hasNative(): boolean {
  try {
    const main = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
    const { platform, arch } = process;
    return existsSync(join(dirname(main), "bin", "napi-v6", platform, arch, "onnxruntime_binding.node"));
  } catch {
    return false;
  }
}
