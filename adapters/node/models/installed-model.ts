/** What is known of a model without loading its networks: for who writes to an index and encodes nothing. */

import type { ModelInfo } from "../../../src/encode/types.js";
import { committedVersions, readManifest } from "../../../src/index/manifest/manifest.js";
import type { Storage } from "../../../src/index/ports.js";
import { defaultModelFolder, readModelFile } from "./encoder/model-folder.js";

/** @param folder  of the model; default the one of this package. @returns undefined where there is none */
export async function installedModel(folder?: string): Promise<ModelInfo | undefined> {
  try {
    return await readModelFile(folder ?? (await defaultModelFolder()));
  } catch {
    return undefined;
  }
}

/** The model that an index was made with. @returns undefined where it is not the one of this package */
export async function modelOfIndex(storage: Storage): Promise<ModelInfo | undefined> {
  const model = await installedModel();
  const version = committedVersions(await storage.list())[0];
  if (model === undefined || version === undefined) return undefined;
  const { manifest } = await readManifest(storage, version);
  return manifest.model.passageModelHash === model.passageModelHash ? model : undefined;
}
