/** The files that the tables measure on, in the folder given by --data. */

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { VerbatimError } from "../../src/errors.js";

/** Name, path inside the folder, and where the file comes from. */
const FILES = {
  squad: ["squad/dev-v1.1.json", "SQuAD v1.1 dev (rajpurkar.github.io/SQuAD-explorer)"],
  reqaSquad: ["reqa/squad-test.json", "ReQA SQuAD as JSON: questions, candidates, ground_truths"],
  reqaBioasq: ["reqa/bioasq7b-test.json", "BioASQ 7b in the same layout (participants-area.bioasq.org)"],
  nq: ["open/nq-open-test.jsonl", "NQ-open test (google-research-datasets/natural-questions)"],
  webquestions: ["open/webquestions-test.jsonl", "WebQuestions test (nlp.stanford.edu/software/sempre)"],
  curatedtrec: ["open/curatedtrec-test.jsonl", "CuratedTREC test (brmson/dataset-factoid-curated)"],
  enwiki: ["corpora/enwiki-2015.jsonl.xz", "articles of English Wikipedia, lines of {id, title, text}"],
  simplewiki: ["corpora/simplewiki-2017.jsonl.xz", "articles of Simple English Wikipedia, lines of {id, title, text}"],
} as const satisfies Record<string, readonly [path: string, origin: string]>;

export type DataFile = keyof typeof FILES;

export class DataFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws VerbatimError `unreadable-document` that says where the file comes from */
  async path(name: DataFile): Promise<string> {
    const [relative, origin] = FILES[name];
    const path = join(this.#folder, relative);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile()) return path;
    throw new VerbatimError("unreadable-document", `${path} is missing.`, {
      where: path,
      hint: `Put ${origin} there, or name the folder with --data.`,
    });
  }

  async text(name: DataFile): Promise<string> {
    return readFile(await this.path(name), "utf8");
  }

  /** @throws VerbatimError `unreadable-document` for a truncated file */
  async json(name: DataFile): Promise<unknown> {
    const path = await this.path(name);
    try {
      return JSON.parse(await readFile(path, "utf8"));
    } catch (cause) {
      throw new VerbatimError("unreadable-document", `${path} is not complete JSON.`, {
        where: path,
        cause,
        hint: `Copy it again: ${FILES[name][1]}.`,
      });
    }
  }

  /** The start of a file's SHA-256: a part is measured again when its data changed. */
  async hash(name: DataFile): Promise<string> {
    const bytes = await readFile(await this.path(name));
    return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  }
}
