/** Finished parts of a run, kept on disk so that a stopped run continues where it was. */

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

interface StoredPart {
  inputs: unknown;
  result: unknown;
}

export class PartStore {
  readonly #folder: string;
  readonly #full: string;
  readonly #resume: boolean;

  /**
   * @param folder parts of full runs, of samples and of runs with fewer questions have their own folders in it
   * @param options.resume use parts of earlier runs that had equal inputs; otherwise every part is measured. A sample
   *   also uses parts that a full run finished.
   */
  constructor(folder: string, options: { resume: boolean; sample?: number; questions?: number }) {
    const { resume, sample, questions } = options;
    this.#full = join(folder, "full");
    const kind = [
      ...(sample === undefined ? [] : [`sample-${sample}`]),
      ...(questions === undefined ? [] : [`questions-${questions}`]),
    ];
    this.#folder = kind.length === 0 ? this.#full : join(folder, kind.join("-"));
    this.#resume = resume;
  }

  /**
   * The result of a part: the stored one if its inputs are equal, else measured and stored whole.
   * @param name a file name without ending, possibly with folders
   * @param inputs all that the result depends on (models, files, sample), as JSON
   */
  async part<T>(name: string, inputs: object, measure: () => Promise<T>): Promise<T> {
    const file = `${name}.json`;
    const own = this.#resume ? await readPart(join(this.#folder, file), inputs) : undefined;
    const stored = own ?? (this.#resume ? await readPart(join(this.#full, file), withoutSample(inputs)) : undefined);
    if (stored !== undefined) return stored.result as T;
    const result = await measure();
    await writeWhole(join(this.#folder, file), JSON.stringify({ inputs, result }));
    return result;
  }
}

/** The inputs of the same part in a full run. */
const withoutSample = (inputs: object): object => ({ ...inputs, sample: undefined });

/** Undefined if the file is missing, damaged or of other inputs: the part is then measured again. */
async function readPart(file: string, inputs: object): Promise<StoredPart | undefined> {
  try {
    const stored = JSON.parse(await readFile(file, "utf8")) as StoredPart;
    return JSON.stringify(stored.inputs) === JSON.stringify(inputs) ? stored : undefined;
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
