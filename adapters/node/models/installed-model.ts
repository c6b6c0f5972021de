/**
 * A model's description without its networks: for commands that write to an index and encode
 * nothing.
 */

import { type ModelOptions, modelFolderFor } from "./choice.js";
import { type ModelFile, readModelFile } from "./encoder/model-folder.js";

/**
 * The model that `modelFolderFor` finds for these options.
 * @returns undefined if there is none
 */
export async function installedModel(options: ModelOptions & { index?: string }): Promise<ModelFile | undefined> {
  try {
    return await readModelFile(await modelFolderFor(options));
  } catch {
    return undefined;
  }
}
