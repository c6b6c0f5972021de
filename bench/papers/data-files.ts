/** The files that the tables measure on, in the folder given by --data. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { VerbatimError } from "../../src/errors.js";

/** Path inside the folder, where the file comes from, and its SHA-256. */
const FILES = {
  squad: [
    "squad/dev-v1.1.json",
    "SQuAD v1.1 dev (rajpurkar.github.io/SQuAD-explorer)",
    "23cd95a5eaa9fcd6f45a31d74cb55e3685692efe6cf0ac42a83f2e32b6d7c993",
  ],
  reqaSquad: [
    "reqa/squad-test.json",
    "ReQA SQuAD as JSON: questions, candidates, ground_truths",
    "e832a8b1120adfd38024c8b7d878bb7665605f73e60de86a4fc009cf3f242e0b",
  ],
  reqaBioasq: [
    "reqa/bioasq7b-test.json",
    "BioASQ 7b in the same layout (participants-area.bioasq.org)",
    "a92510db48dc742f71f77499baf9de0c3395ab8ce23eea18fd0034ce450baca5",
  ],
  nq: [
    "open/nq-open-test.jsonl",
    "NQ-open test (google-research-datasets/natural-questions)",
    "90f6292a0193ae95cea9e46b3a32b4a77e25ead4c394b282dddd21f4447ab7d7",
  ],
  webquestions: [
    "open/webquestions-test.jsonl",
    "WebQuestions test (nlp.stanford.edu/software/sempre)",
    "f83cc433bef508ff7934e8ba2854c65425985d919dde0bfcd051fb190d337c0c",
  ],
  curatedtrec: [
    "open/curatedtrec-test.jsonl",
    "CuratedTREC test (brmson/dataset-factoid-curated)",
    "16f0c25c2b84e39010d16af25a750ffce3f198e413c53161f34880ccafe30e50",
  ],
  enwiki: [
    "corpora/enwiki-2015.jsonl.xz",
    "articles of English Wikipedia, lines of {id, title, text}",
    "b3c1b50c684ccd941b3465201e7efa228e4393f2b80d88a13c0ffb1704bf7e50",
  ],
  simplewiki: [
    "corpora/simplewiki-2017.jsonl.xz",
    "articles of Simple English Wikipedia, lines of {id, title, text}",
    "31cfd4eb5dee3032986f367ec62aa69db74047ca104172dc9980f224750f378e",
  ],
  zhwiki: [
    "corpora/zhwiki.jsonl.xz",
    "articles of Chinese Wikipedia, lines of {id, title, text}",
    "c86c0483d723a9cf4fbb42d50f35875d277aeea07e25ab9d3bb3488e3b47b2ed",
  ],
  fairytale: [
    "other/fairytaleqa.json.xz",
    "FairytaleQA in SQuAD's layout (uci-soe/FairytaleQAData)",
    "6e30cc6e18cfb1556b5cd6afaebf420bf19d1dff5164af8e2e26c5e35af6eb09",
  ],
  tatqa: [
    "other/tatqa-text.json",
    "the text questions of TAT-QA in SQuAD's layout (NExTplusplus/TAT-QA)",
    "11f09ecd2fd2f24d0efa8fe4ec23718ff789b62284ba854666c6ae552cb97388",
  ],
  policyqa: [
    "other/policyqa.json.xz",
    "PolicyQA dev and test in SQuAD's layout (wasiahmad/PolicyQA)",
    "cb63ae1863bdfa2fa2eb5a4188676a7350d96a2bcb51c39016f44f0b5aad915b",
  ],
  contractnli: [
    "other/contractnli.json.xz",
    "ContractNLI dev and test in SQuAD's layout (stanfordnlp.github.io/contract-nli)",
    "b31b8cb73f8b78f4e3a4fae711da06b05d7150b4dc77e15218ff4df40fb1b3ef",
  ],
  medquad: [
    "other/medquad.jsonl.xz",
    "MedQuAD, lines of {id, question, passage, title} (abachaa/MedQuAD)",
    "e6249209afa301f9d39cff1e68a087b821b8298afc7fb198d0f1660d8be34209",
  ],
  qmsum: [
    "other/qmsum.jsonl.xz",
    "QMSum, lines of {id, question, passage, title, source} (Yale-LILY/QMSum)",
    "4adf128b98399c9891b5538d13b6584001f129b02bd7bf8edfe5ce8dc78ccdc9",
  ],
  faq: [
    "other/faq.jsonl.xz",
    "questions in headings with their texts, lines of {id, question, passage, title}",
    "ce6ecbae26c72820e59f223ac3d69f4f5d393aed9f03e19f183ed9572df89916",
  ],
  cmrc: [
    "zh/cmrc2018-dev.json",
    "CMRC 2018 dev in SQuAD's layout (ymcui/cmrc2018)",
    "e9ff74231f05c230c6fa88b84441ee334d97234cbb610991cd94b82db00c7f1f",
  ],
  drcd: [
    "zh/drcd-dev.json",
    "DRCD dev (DRCKnowledgeTeam/DRCD)",
    "e236df03861ba241bd7b29628cd48b3b8e339c60137e041a4358b5320ed61928",
  ],
} as const satisfies Record<string, readonly [path: string, origin: string, sha256: string]>;

export type DataFile = keyof typeof FILES;

export class DataFiles {
  readonly folder: string;
  readonly #verified = new Map<DataFile, Promise<string>>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * The path of a file whose hash is right.
   * @throws VerbatimError `unreadable-document` that says where the file comes from
   */
  path(name: DataFile): Promise<string> {
    let path = this.#verified.get(name);
    if (path === undefined) {
      path = this.#verify(name);
      path.catch(() => this.#verified.delete(name));
      this.#verified.set(name, path);
    }
    return path;
  }

  async #verify(name: DataFile): Promise<string> {
    const [relative, origin, wanted] = FILES[name];
    const path = join(this.folder, relative);
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isFile()) {
      throw new VerbatimError("unreadable-document", `${path} is missing.`, {
        where: path,
        hint: `Put ${origin} there, or choose another folder with --data.`,
      });
    }
    const hash = createHash("sha256");
    for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
    const found = hash.digest("hex");
    if (found === wanted) return path;
    const shown = `SHA-256 ${found.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…`;
    throw new VerbatimError("unreadable-document", `${path} is truncated or another version (${shown}).`, {
      where: path,
      hint: `Copy it again: ${origin}.`,
    });
  }

  /** @throws VerbatimError `unreadable-document`, also for a packed file without xz */
  async text(name: DataFile): Promise<string> {
    const path = await this.path(name);
    if (!path.endsWith(".xz")) return readFile(path, "utf8");
    try {
      return (await promisify(execFile)("xz", ["-dc", path], { maxBuffer: 2 ** 30 })).stdout;
    } catch (cause) {
      const where = { where: path, cause };
      throw new VerbatimError("unreadable-document", `${path} cannot be unpacked.`, { ...where, hint: "Install xz." });
    }
  }

  async json(name: DataFile): Promise<unknown> {
    return JSON.parse(await this.text(name));
  }

  /** The start of the file's SHA-256: a part is measured again when its data changed. */
  hash(name: DataFile): string {
    return FILES[name][2].slice(0, 16);
  }
}
