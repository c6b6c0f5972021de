/**
 * A model's description without its networks: for commands that write to an index and encode
 * nothing.
 */

import type { ModelInfo } from "../../../src/encode/types.js";
import { committedVersions, readManifest } from "../../../src/index/manifest/manifest.js";
import type { Storage } from "../../../src/index/ports.js";
import { defaultModelFolder, readModelFile } from "./encoder/model-folder.js";

/**
 * @param folder  the model's folder; default: that of this package.
 * @returns undefined if there is none
 */
export async function installedModel(folder?: string): Promise<ModelInfo | undefined> {
  try {
    return await readModelFile(folder ?? (await defaultModelFolder()));
  } catch {
    return undefined;
  }
}

/** @returns the model that an index was made with; undefined if it is not this package's */
export async function modelOfIndex(storage: Storage): Promise<ModelInfo | undefined> {
  const model = await installedModel();
  const version = committedVersions(await storage.list())[0];
  if (model === undefined || version === undefined) return undefined;
  const { manifest } = await readManifest(storage, version);
  return manifest.model.passageModelHash === model.passageModelHash ? model : undefined;
}
