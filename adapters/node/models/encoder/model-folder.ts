/**
 * A model folder: model.json, encoder.onnx, terms.onnx, question.bin, and vocab.txt or vocab.unigram
 * (docs/model-format.md).
 */

import { access, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MAX_INPUT_TOKENS } from "../../../../src/encode/input.js";
import type { ModelInfo } from "../../../../src/encode/types.js";
import { VerbatimError } from "../../../../src/errors.js";

export interface FileFacts {
  bytes: number;
  sha256: string;
}

export type VocabularyName = "vocab.txt" | "vocab.unigram";

/** model.json as stored: `ModelInfo`, and fields that only this adapter or a human reader uses. */
export interface ModelFile extends ModelInfo {
  formatVersion: number;
  hidden: number;
  term: number;
  files: Record<"encoder.onnx" | "terms.onnx" | "question.bin", FileFacts> & Partial<Record<VocabularyName, FileFacts>>;
  /**
   * The terms by script, if terms.onnx computes the weights of one script at a time: `runs` are [first id, index in
   * `scripts`], and cover all ids in order; −1 are terms that are always computed.
   */
  termGroups?: { scripts: string[]; runs: [from: number, script: number][] };
  /** Source tokens that never pool into term weights: punctuation and function words. */
  termStop: number[];
  training: Record<string, unknown>;
  metrics: Record<string, unknown>;
  notice: string;
}

const MODEL_FORMAT_VERSION = 1;

/** Folder of the installed models, instead of models/ of this package. */
const INSTALLED = "VERBATIM_MODELS";

/**
 * The folder of an installed model or reader: models/<name> of this package, whether it runs from
 * the sources or from dist/.
 * @returns undefined where it is not installed
 */
export async function shippedFolder(name: string): Promise<string | undefined> {
  const elsewhere = process.env[INSTALLED];
  if (elsewhere) {
    const folder = resolve(elsewhere, name);
    return await access(join(folder, "model.json")).then(
      () => folder,
      () => undefined,
    );
  }
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < 6; i++) {
    const candidate = join(folder, "models", name);
    try {
      await access(join(candidate, "model.json"));
      return candidate;
    } catch {
      folder = dirname(folder);
    }
  }
  return undefined;
}

/** The model's vocabulary file: WordPiece's or Unigram's. */
export function vocabularyFile({ files }: Pick<ModelFile, "files">): FileFacts & { name: VocabularyName } {
  const name = files["vocab.unigram"] === undefined ? "vocab.txt" : "vocab.unigram";
  return { name, ...(files[name] ?? { bytes: 0, sha256: "" }) };
}

/**
 * Reads and checks model.json: the version, the input limit, and that every file is there in its
 * full size.
 * @throws VerbatimError `model-missing`, `unsupported-format`
 */
export async function readModelFile(folder: string): Promise<ModelFile> {
  const path = join(folder, "model.json");
  let model: ModelFile;
  try {
    model = JSON.parse(await readFile(path, "utf8")) as ModelFile;
  } catch (cause) {
    throw new VerbatimError("model-missing", `No readable model.json in ${folder}.`, {
      cause,
      where: path,
      hint: "Name en, multi, auto or a folder with --model or VERBATIM_MODEL, or install the package again.",
    });
  }
  if (model.formatVersion !== MODEL_FORMAT_VERSION) {
    throw new VerbatimError("unsupported-format", `The model in ${folder} has format version ${model.formatVersion}.`, {
      found: model.formatVersion,
      expected: MODEL_FORMAT_VERSION,
      hint: "Use a model of this version of Verbatim.",
    });
  }
  const { maxInputTokens } = model;
  if (!(Number.isInteger(maxInputTokens) && maxInputTokens >= 1 && maxInputTokens <= MAX_INPUT_TOKENS)) {
    throw new VerbatimError("unsupported-format", `The model in ${folder} takes inputs of ${maxInputTokens} tokens.`, {
      found: maxInputTokens,
      expected: `1 to ${MAX_INPUT_TOKENS}`,
      where: path,
      hint: `Export the model with maxInputTokens of at most ${MAX_INPUT_TOKENS}: an index stores positions as bytes.`,
    });
  }
  await checkFiles(folder, model.files);
  return model;
}

/**
 * @throws VerbatimError `model-missing` naming the first file that is missing or has another size
 */
export async function checkFiles(folder: string, files: Record<string, { bytes: number }>): Promise<void> {
  for (const [name, file] of Object.entries(files)) {
    const found = await stat(join(folder, name)).then(
      (s) => s.size,
      () => undefined,
    );
    if (found === file.bytes) continue;
    throw new VerbatimError(
      "model-missing",
      `The model file ${name} in ${folder} is ${found === undefined ? "missing" : "damaged"}.`,
      {
        found,
        expected: file.bytes,
        where: join(folder, name),
        hint: "Install the package again, or copy the model folder again.",
      },
    );
  }
}
