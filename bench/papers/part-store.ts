/** Finished parts of a run, kept on disk so that a stopped run continues where it was. */

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

interface StoredPart {
  inputs: unknown;
  result: unknown;
}

export class PartStore {
  readonly #folder: string;
  readonly #resume: boolean;

  /**
   * @param resume use parts of earlier runs that had equal inputs; otherwise every part is measured
   */
  constructor(folder: string, { resume }: { resume: boolean }) {
    this.#folder = folder;
    this.#resume = resume;
  }

  /**
   * The result of a part: the stored one if its inputs are equal, else measured and stored whole.
   * @param name a file name without ending, possibly with folders
   * @param inputs all that the result depends on (models, files, sample), as JSON
   */
  async part<T>(name: string, inputs: object, measure: () => Promise<T>): Promise<T> {
    const file = join(this.#folder, `${name}.json`);
    const stored = this.#resume ? await readPart(file) : undefined;
    if (stored !== undefined && JSON.stringify(stored.inputs) === JSON.stringify(inputs)) return stored.result as T;
    const result = await measure();
    await writeWhole(file, JSON.stringify({ inputs, result }));
    return result;
  }
}

/** Undefined if the file is missing or damaged: the part is then measured again. */
async function readPart(file: string): Promise<StoredPart | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as StoredPart;
  } catch {
    return undefined;
  }
}

/** Writes a file so that it is either complete or as it was before. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
