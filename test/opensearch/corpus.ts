/** The same generated documents in memory and in the cluster, with questions. */

import { openClusterIndex, openClusterWriter } from "../../adapters/opensearch/open.js";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter } from "../../src/api/writer.js";
import type { AskResult } from "../../src/ask/result.js";
import type { Document } from "../../src/types.js";
import { textDocument } from "../support/ask.js";
import { MADE_UP_WORDS } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { seededRandom } from "../support/random.js";
import { TinyEncoder } from "../support/tiny-encoder.js";
import { tinyModel } from "../support/tiny-model.js";

/** λ of the passage vectors: enough to change candidates. */
const VECTOR_WEIGHT = 5;

export interface Corpus {
  documents: Document[];
  questions: string[];
  encoder: TinyEncoder;
}

/**
 * Documents of few words, so that every question matches many passages: some have one passage, some
 * dozens, some two ids.
 */
export function makeCorpus({
  documents: count,
  questions: asked,
  seed,
}: {
  documents: number;
  questions: number;
  seed: number;
}): Corpus {
  const random = seededRandom(seed);
  const words = Array.from(
    { length: 400 },
    (_, n) => `${random.pick(MADE_UP_WORDS)}${n % 7 === 0 ? "" : "aeiou"[n % 5]}`,
  );
  const sentence = (): string => {
    const said = Array.from(
      { length: random.whole(4, 14) },
      () => words[Math.floor(words.length * random.next() ** 2)]!,
    );
    return `${said[0]![0]!.toUpperCase()}${said.join(" ").slice(1)}.`;
  };
  const documents: Document[] = Array.from({ length: count }, (_, n) => {
    const sentences = n % 11 === 0 ? random.whole(60, 120) : random.whole(1, 8);
    const text = Array.from({ length: sentences }, (_, s) => sentence() + (s % 5 === 4 ? "\n\n" : " ")).join("");
    const metadata = {
      year: 2000 + (n % 20),
      tag: ["a", "b", "c"][n % 3]!,
      tags: [`t${n % 4}`, `u${n % 5}`],
      ok: n % 2 === 0,
    };
    return { ...textDocument(`doc-${n}`, text, `${random.pick(words)} ${random.pick(words)}`), metadata };
  });
  for (let n = 0; n < count; n += 40) documents.push({ ...documents[n]!, id: `copy-${n}` });
  documents.push(textDocument("odd", `Ünïcode 😀 \ud800 lone. ${sentence()}`));
  const questions = Array.from({ length: asked }, () => {
    const of = random
      .pick(documents)
      .text.split(/[\s.]+/)
      .filter((word) => word !== "");
    return Array.from({ length: random.whole(2, 7) }, () =>
      random.next() < 0.7 ? random.pick(of) : random.pick(words),
    ).join(" ");
  });
  const texts = documents.flatMap(({ title, text }) => [title, text]);
  const weights = { ...tinyModel.weights, vector: VECTOR_WEIGHT };
  return { documents, questions, encoder: new TinyEncoder(texts, { weights }) };
}

export interface Both {
  folder: Index;
  cluster: Index;
  storage: MemoryStorage;
  close(): Promise<void>;
}

export async function loadBoth(corpus: Corpus, address: string): Promise<Both> {
  const { encoder, documents } = corpus;
  const storage = new MemoryStorage();
  const writer = await openWriter({ storage, encoder });
  await writer.add(documents);
  await writer.commit();
  await writer.close();
  const loading = await openClusterWriter({ address, encoder });
  await loading.add(documents);
  await loading.commit();
  await loading.close();
  return openBoth(storage, { encoder, address });
}

export async function openBoth(
  storage: MemoryStorage,
  { encoder, address }: { encoder: TinyEncoder; address: string },
): Promise<Both> {
  const folder = await openIndex({ storage, encoder, correctsSpelling: false });
  const cluster = await openClusterIndex({ address, encoder });
  const close = async (): Promise<void> => {
    await folder.close();
    await cluster.close();
  };
  return { folder, cluster, storage, close };
}

/** Everything a user sees, with scores to the last bit. */
export function visible({ answers, passages, noAnswer }: AskResult): unknown {
  return { answers, passages, noAnswer };
}
