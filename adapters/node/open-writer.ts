/** Opens the index in a folder for writing. */

import { resolve } from "node:path";
import { openWriter as openFromStorage, type Writer, type WriterOptions } from "../../src/api/writer.js";
import { refuseFolderOfFiles } from "./index-info.js";
import { openEncoder } from "./models/encoder/encoder.js";
import type { OpenIndexOptions } from "./open-index.js";
import { FileStorage } from "./storage/file-storage.js";

/**
 * The model of an existing index is kept. For a new one, "auto" is the English model: there is no document to look
 * at.
 */
export interface OpenWriterOptions
  extends WriterOptions,
    Pick<OpenIndexOptions, "path" | "model" | "modelFolder" | "threads" | "encoder"> {}

export async function openWriter(options: OpenWriterOptions): Promise<Writer> {
  const { path, model, modelFolder, threads, encoder, ...rules } = options;
  await refuseFolderOfFiles(path);
  const storage = new FileStorage(resolve(path));
  if (encoder !== undefined) return openFromStorage({ ...rules, storage, encoder });
  const own = await openEncoder({ model, modelFolder, index: path, threads });
  try {
    return await openFromStorage({ ...rules, storage, encoder: own, onClose: () => own.close() });
  } catch (error) {
    await own.close();
    throw error;
  }
}
