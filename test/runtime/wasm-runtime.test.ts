/**
 * The WebAssembly build of ONNX Runtime, which runs where the native library does not: it gives the
 * same answers, and the program says once that it is slower.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { modelFolderFor } from "../../adapters/node/models/choice.js";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { Network } from "../../adapters/node/models/encoder/network.js";
import { loadNative, loadWasm, type Runtime } from "../../adapters/node/models/runtime.js";
import { openIndex } from "../../adapters/node/open-index.js";
import { questionInput } from "../../src/encode/input.js";
import type { Encoder } from "../../src/encode/types.js";
import { projectRoot, temporaryFolder, tinyModel, verbatim } from "../cli/run-cli.js";

const QUESTIONS = 100;

interface Question {
  question: string;
}

function questionsOf(...path: string[]): string[] {
  const lines = readFileSync(join(projectRoot, ...path), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => (JSON.parse(line) as Question).question);
}

describe("ONNX Runtime in WebAssembly", () => {
  it("answers 100 questions as the native library does", async () => {
    const cwd = await temporaryFolder();
    const modelFolder = await modelFolderFor({ model: "en" });
    const path = join(cwd, "index");
    const env = { VERBATIM_MODEL: modelFolder };
    const indexed = await verbatim(["index", join(projectRoot, "samples"), "--index", path], { cwd, env });
    expect(indexed.status, indexed.stderr).toBe(0);
    const own = questionsOf("test", "own-set", "questions.jsonl");
    const questions = [...questionsOf("samples", "questions.jsonl"), ...own].slice(0, QUESTIONS);
    const shipped = await openEncoder({ modelFolder, threads: 1 });
    onTestFinished(() => shipped.close());
    const answersWith = async (load: () => Promise<Runtime>) => {
      const network = await Network.open(modelFolder, shipped.model, load);
      const { info, tokenizer } = shipped;
      const encoder: Encoder = {
        info,
        tokenizer,
        encodePassages: () => Promise.reject(new Error("every passage is stored")),
        encodeQuestion: (text) => network.encodeQuestion(text, questionInput(tokenizer, text, info.maxQuestionTokens)),
        close: () => network.close(),
      };
      const index = await openIndex({ path, encoder });
      const first = [];
      for (const question of questions) {
        const { answers } = await index.ask(question, { topK: 1, minConfidence: 0 });
        first.push(answers[0]!);
      }
      await index.close();
      await encoder.close();
      return first;
    };
    const native = await answersWith(loadNative);
    const wasm = await answersWith(loadWasm);
    expect(native).toHaveLength(QUESTIONS);
    const same = native.filter(({ documentId, start, end }, n) => {
      const other = wasm[n]!;
      return other.documentId === documentId && other.start === start && other.end === end;
    });
    const differences = native.map(({ score }, n) => Math.abs(score - wasm[n]!.score) / score).sort((a, b) => a - b);
    const [median, nineTenths] = [differences[QUESTIONS / 2]!, differences[0.9 * QUESTIONS]!];
    if (process.env.VERBATIM_REPORT) console.log({ same: same.length, median, nineTenths, most: differences.at(-1) });
    // int8 products are summed in another width and order, so answers of almost equal score may change places
    expect(same.length).toBeGreaterThanOrEqual(98);
    expect(median).toBeLessThan(0.001);
    expect(nineTenths).toBeLessThan(0.02);
  });

  it("runs in worker threads, and is announced once if the native library is missing", async () => {
    const compiled = join(projectRoot, "dist.test", "adapters", "node", "models", "encoder", "encoder.js");
    const encoderModule = pathToFileURL(compiled).href;
    const script = `
      import { register } from "node:module";
      register("data:text/javascript," + encodeURIComponent(\`
        export async function resolve(name, context, next) {
          if (name === "onnxruntime-node") throw Object.assign(new Error("gone"), { code: "ERR_MODULE_NOT_FOUND" });
          return next(name, context);
        }\`));
      const { openEncoder } = await import(${JSON.stringify(encoderModule)});
      const encoder = await openEncoder({ modelFolder: ${JSON.stringify(tinyModel)}, threads: 1 });
      const { start } = await encoder.encodeQuestion("a b");
      const { clsId, sepId } = encoder.tokenizer;
      const ids = Uint16Array.from([clsId, 5, 6, sepId]);
      const [passage] = await encoder.encodePassages([{ ids, firstToken: 1, units: [] }]);
      console.log(start.length > 0, passage.ids.length);
      await encoder.close();`;
    const file = join(await temporaryFolder(), "without-native.mjs");
    writeFileSync(file, script);
    const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    expect(stdout).toBe("true 4\n");
    expect(stderr.match(/^note: The native ONNX Runtime is not installed/gm)).toHaveLength(1);
  });
});
