/** A problem of an index, and which errors mean damage. */

import { VerbatimError } from "../../errors.js";

export class IndexProblem {
  readonly file: string;
  readonly section: string | undefined;
  readonly block: number | undefined;
  /** A clause: "checksum does not match". */
  readonly what: string;

  constructor(file: string, what: string, place: { section?: string; block?: number } = {}) {
    this.file = file;
    this.section = place.section;
    this.block = place.block;
    this.what = what;
  }

  toString(): string {
    const section = this.section === undefined ? "" : `, section "${this.section}"`;
    const block = this.block === undefined ? "" : `, block ${this.block}`;
    return `${this.file}${section}${block}: ${this.what}`;
  }
}

export const missingManifest = (): IndexProblem => new IndexProblem("manifest", "missing");

const DAMAGE = ["corrupt-segment", "corrupt-manifest", "model-mismatch", "io-error"];

/**
 * @param file  that was being read
 * @throws the error itself unless it means damage
 */
export function asProblem(error: unknown, file: string): IndexProblem {
  if (!(error instanceof VerbatimError) || !DAMAGE.includes(error.code)) throw error;
  const what = error.message.replace("The index is damaged: ", "").replace(`${file}: `, "").replace(/\.$/, "");
  return new IndexProblem(file, what);
}
