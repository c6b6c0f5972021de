/** Which model encodes: one of this package by its name, the one that made an index, or a folder. */

import { resolve } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import { readModelFile, shippedFolder } from "./encoder/model-folder.js";

/** A model that ships with the package. */
export type ModelName = "en" | "multi";

/** The folders of the models in `models/`, and the commands that install them. */
const MODELS: Readonly<Record<ModelName, { folder: string; install: string }>> = {
  en: { folder: "verbatim-en", install: "npm install verbatim-qa" },
  multi: { folder: "verbatim-multi", install: "npm install verbatim-qa" },
};

const MODEL_NAMES = Object.keys(MODELS) as ModelName[];

/** "en": English; "multi": many languages; "auto": the index's model, or for a new index by language. */
export type ModelChoice = ModelName | "auto";

export const MODEL_CHOICES: readonly ModelChoice[] = [...MODEL_NAMES, "auto"];

export interface ModelOptions {
  /** Default "auto". Ignored if `modelFolder` is given. */
  model?: ModelChoice;
  /** Folder of a model. */
  modelFolder?: string;
}

/**
 * The folder of the chosen model. "auto" is the installed model that made the index; without an
 * index, the English one.
 * @param options.index  folder of the index, which need not exist
 * @param options.anyVersion  "auto" may be another version of the model that made the index
 * @throws VerbatimError `model-missing`; `model-mismatch` if no installed model made the index
 */
export async function modelFolderFor(
  options: ModelOptions & { index?: string; anyVersion?: boolean },
): Promise<string> {
  const { model = "auto", modelFolder, index, anyVersion = false } = options;
  if (modelFolder !== undefined) return modelFolder;
  if (model !== "auto") return requireInstalled(model);
  const made = index === undefined ? undefined : await madeWith(index);
  if (made === undefined) return requireInstalled("en");
  const folder = await folderWithHash(made.passageModelHash);
  if (folder !== undefined) return folder;
  const name = choiceNamed(made.name);
  if (anyVersion && name !== undefined) return requireInstalled(name);
  await requireInstalled("en"); // an incomplete installation explains more
  throw await notInstalled(made.name);
}

/** Whether a model is installed. */
export const isInstalled = async (name: ModelName): Promise<boolean> =>
  (await shippedFolder(MODELS[name].folder)) !== undefined;

/** The command that installs a model. */
export const installCommand = (name: ModelName): string => MODELS[name].install;

/** The name under which a model can be chosen; undefined for any other model. */
export const choiceNamed = (model: string): ModelName | undefined =>
  MODEL_NAMES.find((name) => MODELS[name].folder === model);

/**
 * The folder of the installed model with this hash of its passage network, of which the first 32
 * digits are enough; undefined if there is none.
 */
export async function folderWithHash(passageModelHash: string): Promise<string | undefined> {
  for (const name of MODEL_NAMES) {
    const folder = await shippedFolder(MODELS[name].folder);
    if (folder === undefined) continue;
    const model = await readModelFile(folder).catch(() => undefined); // reported when it is opened
    if (model?.passageModelHash.startsWith(passageModelHash)) return folder;
  }
  return undefined;
}

async function requireInstalled(name: ModelName): Promise<string> {
  const { folder, install } = MODELS[name];
  const found = await shippedFolder(folder);
  if (found !== undefined) return found;
  throw new VerbatimError("model-missing", `The model ${folder} is not installed.`, {
    hint: `Install it with ${install}, or name a model folder with --model DIR.`,
  });
}

/** The model that the newest version of an index names; undefined where none can be read. */
export async function madeWith(index: string): Promise<{ name: string; passageModelHash: string } | undefined> {
  const { FileStorage } = await import("../storage/file-storage.js"); // the command line needs only names
  const { committedVersions, readManifest } = await import("../../../src/index/manifest/manifest.js");
  const storage = new FileStorage(resolve(index));
  if (!(await storage.exists())) return undefined;
  const version = committedVersions(await storage.list())[0];
  if (version === undefined) return undefined;
  // a damaged manifest is reported when the index is opened
  const read = await readManifest(storage, version).catch(() => undefined);
  return read?.manifest.model;
}

async function notInstalled(name: string): Promise<VerbatimError> {
  const choice = choiceNamed(name);
  if (choice !== undefined && !(await isInstalled(choice))) {
    return new VerbatimError("model-missing", `The index was made with the model ${name}, which is not installed.`, {
      found: name,
      hint: `Install it with ${MODELS[choice].install}, or name its folder with --model DIR.`,
    });
  }
  const which = choice === undefined ? "another model" : "another version of the model";
  return new VerbatimError("model-mismatch", `The index was made with ${which} (${name}).`, {
    found: name,
    hint: "Name the folder of that model with --model DIR, or encode the index again with an installed one: verbatim index PATH --rebuild --model NAME.",
  });
}
