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

/**
 * models/verbatim-reader-en of this package; undefined where it is not installed: the reader is
 * optional.
 */
export function defaultReaderFolder(): Promise<string | undefined> {
  return shippedFolder("verbatim-reader-en");
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
