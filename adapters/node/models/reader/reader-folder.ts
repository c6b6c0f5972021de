/** A reader's folder: model.json and reader.onnx (docs/model-format.md). */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { VerbatimError } from "../../../../src/errors.js";
import type { ReaderInfo } from "../../../../src/reader/types.js";
import { checkFiles, shippedFolder } from "../encoder/model-folder.js";

/** model.json as stored: `ReaderInfo`, and fields that only this adapter or a human reader uses. */
export interface ReaderFile extends ReaderInfo {
  formatVersion: number;
  kind: "reader";
  hidden: number;
  layers: number;
  /** Upper bounds of the logits, for any input. */
  bounds: { start: number; end: number; answer: number };
  files: Record<"reader.onnx", { bytes: number; sha256: string }>;
  training: Record<string, unknown>;
  quantisation: Record<string, unknown>;
  metrics: Record<string, unknown>;
  notice: string;
}

const FORMAT_VERSION = 1;
const HINT = "Name a reader's folder with --reader-model DIR, or ask with --reader off.";

/** Folders of readers in models/; a reader fits the models with its vocabulary. */
const READERS = ["verbatim-reader-en", "verbatim-reader-multi"] as const;

/** What a reader and a model must agree on. */
type Vocabulary = { files: Readonly<Record<string, { sha256: string }>> };

/** Whether a reader was trained with the vocabulary of a model. */
export function fits(reader: Pick<ReaderFile, "vocabularySha256">, { files }: Vocabulary): boolean {
  return Object.values(files).some(({ sha256 }) => sha256 === reader.vocabularySha256);
}

/**
 * The folder of the installed reader that fits a model; readers are optional.
 * @returns undefined if there is none
 * @throws VerbatimError `model-missing` for a damaged one, `unsupported-format`
 */
export async function installedReaderFolder(model: Vocabulary): Promise<string | undefined> {
  for (const name of READERS) {
    const folder = await shippedFolder(name);
    if (folder !== undefined && fits(await readReaderFile(folder), model)) return folder;
  }
  return undefined;
}

/** @throws VerbatimError `model-missing`, `unsupported-format` */
export async function readReaderFile(folder: string): Promise<ReaderFile> {
  const path = join(folder, "model.json");
  let file: Partial<ReaderFile>;
  try {
    file = JSON.parse(await readFile(path, "utf8")) as Partial<ReaderFile>;
  } catch (cause) {
    throw new VerbatimError("model-missing", `No readable model.json in ${folder}.`, {
      cause,
      where: path,
      hint: HINT,
    });
  }
  if (file.kind !== "reader") {
    throw new VerbatimError("unsupported-format", `The model in ${folder} is not a reader.`, {
      where: path,
      hint: HINT,
    });
  }
  if (file.formatVersion !== FORMAT_VERSION) {
    throw new VerbatimError("unsupported-format", `The reader in ${folder} has format version ${file.formatVersion}.`, {
      found: file.formatVersion,
      expected: FORMAT_VERSION,
      hint: "Use a reader of this version of Verbatim.",
    });
  }
  const reader = file as ReaderFile;
  await checkFiles(folder, reader.files);
  return reader;
}
