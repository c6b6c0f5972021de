/** Chooses the model of a new index by the language of what will be indexed, before a model is loaded. */

import { resolve } from "node:path";
import { throwIfAborted } from "../../../src/errors.js";
import type { InputFile } from "../documents/input.js";
import { ParserPool } from "../documents/isolation/parser-pool.js";
import { readDocuments } from "../documents/read-documents.js";
import { hasIndex } from "../index-info.js";
import { isInstalled, type ModelOptions, modelFolderFor } from "../models/choice.js";
import type { InputOptions } from "./index-inputs.js";
import { foreignShare, type LanguageCount, LanguageCounts } from "./language-counts.js";
import { listOutside } from "./list-outside.js";
import { ReplayedBytes } from "./replayed-bytes.js";

/** Documents in the sample, and files that they are read from. */
const SAMPLE_DOCUMENTS = 60;
const SAMPLE_FILES = 30;
/** Of neighbouring files, the first of at most this size is read, else the smallest. */
const SMALL_BYTES = 256 * 1024;
/** Of larger files, only the beginning is read, which ends a parser process: at most this number. */
const MAX_LARGE = 4;
/** Share of documents in other languages from which the multilingual model is chosen. */
const MIN_FOREIGN = 0.05;

type ModelChoiceOptions = ModelOptions & {
  /** Folder of the index, which need not exist. */
  index: string;
  /** "auto" may be another version of the model that made the index. */
  anyVersion?: boolean;
} & Pick<InputOptions, "format" | "cwd" | "stdin" | "parsers" | "signal">;

interface ChosenModel {
  modelFolder: string;
  /** Standard input, to be read from now on instead of the given one. */
  stdin: AsyncIterable<Uint8Array> | undefined;
}

/**
 * The model for a run over paths, as `chooseModel` finds it.
 * @throws VerbatimError as `modelFolderFor`; `aborted`
 */
export async function modelFolderForPaths(
  paths: readonly string[],
  options: Omit<ModelChoiceOptions, "stdin">,
): Promise<string> {
  const { cwd = process.cwd(), signal } = options;
  const folder = resolve(cwd, options.index);
  if (!(await needsSample({ ...options, index: folder }))) return modelFolderFor({ ...options, index: folder });
  const inputs = await listOutside(folder, paths, { cwd, signal, onSkip: () => {} });
  const files = inputs.filter((input) => input.absolutePath !== "-");
  return (await chooseModel(files, { ...options, index: folder })).modelFolder;
}

/**
 * With "auto", a new index gets the English model if at least 95 % of a sample are in English, or if
 * the multilingual one is not installed. Files are sampled evenly.
 * @throws VerbatimError as `modelFolderFor`; `aborted`
 */
export async function chooseModel(inputs: readonly InputFile[], options: ModelChoiceOptions): Promise<ChosenModel> {
  const { stdin } = options;
  if (!(await needsSample(options))) return { modelFolder: await modelFolderFor(options), stdin };
  const replayed = inputs.some(isPiped) ? new ReplayedBytes(stdin ?? process.stdin) : undefined;
  const counts = await sampleLanguages(inputs, { ...options, stdin: replayed?.first() });
  const model = foreignShare(counts) >= MIN_FOREIGN ? "multi" : "en";
  return { modelFolder: await modelFolderFor({ model }), stdin: replayed?.again() ?? stdin };
}

async function needsSample({ model = "auto", modelFolder, index }: ModelOptions & { index: string }): Promise<boolean> {
  return modelFolder === undefined && model === "auto" && !(await hasIndex(index)) && (await isInstalled("multi"));
}

const isPiped = (input: InputFile): boolean => input.absolutePath === "-";

/** The languages of up to 60 documents, from evenly spaced files. What cannot be read is left out. */
async function sampleLanguages(
  inputs: readonly InputFile[],
  { format, stdin, signal, ...options }: ModelChoiceOptions,
): Promise<LanguageCount> {
  const languages = new LanguageCounts();
  const files = sampleOf(inputs);
  const perFile = Math.ceil(SAMPLE_DOCUMENTS / Math.max(1, files.length));
  const parsers = options.parsers ?? new ParserPool();
  try {
    let large = 0;
    for (const file of files) {
      throwIfAborted(signal);
      const isLarge = isPiped(file) || file.size > SMALL_BYTES;
      if (isLarge && ++large > MAX_LARGE) continue;
      let taken = 0;
      for await (const { text } of readDocuments(file, { format, signal, content: stdin, parsers, onSkip: () => {} })) {
        if (++taken <= perFile) languages.add(text);
        else if (isLarge) break;
      }
    }
  } finally {
    if (options.parsers === undefined) parsers.close();
  }
  return languages.counts;
}

/** Standard input, and a small file of each of up to 30 equal parts of the list. */
function sampleOf(inputs: readonly InputFile[]): InputFile[] {
  const piped = inputs.filter(isPiped).slice(0, 1);
  const files = inputs.filter((input) => !isPiped(input));
  const parts = Math.min(SAMPLE_FILES, files.length);
  const sampled = Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * files.length) / parts);
    const neighbours = files.slice(from, Math.floor(((part + 1) * files.length) / parts));
    const bySize = (a: InputFile, b: InputFile): InputFile => (b.size < a.size ? b : a);
    return neighbours.find(({ size }) => size > 0 && size <= SMALL_BYTES) ?? neighbours.reduce(bySize);
  });
  return [...piped, ...sampled];
}
