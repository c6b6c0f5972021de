/** At which rank is the passage that holds the answer? */

import type { Encoder } from "../../../src/encode/types.js";
import { isNamedDocument, type OpenQuestion } from "../../../src/evaluate/open-questions.js";
import type { IndexSnapshot } from "../../../src/index/types.js";
import type { RankedPassage } from "../../../src/search/types.js";

/** Reads passages of an index by the id of their document. */
export class PassageTexts {
  readonly close: () => Promise<void>;
  readonly #snapshot: IndexSnapshot;
  readonly #places: ReadonlyMap<string, { segment: number; document: number }>;

  private constructor(
    snapshot: IndexSnapshot,
    places: ReadonlyMap<string, { segment: number; document: number }>,
    close: () => Promise<void>,
  ) {
    this.#snapshot = snapshot;
    this.#places = places;
    this.close = close;
  }

  /** Reads the ids of all documents. */
  static async open(path: string, encoder: Encoder): Promise<PassageTexts> {
    const { openSearcher } = await import("../../node/open-searcher.js");
    const { snapshot, close } = await openSearcher(path, encoder);
    const places = new Map<string, { segment: number; document: number }>();
    for (const [segment, reader] of snapshot.segments.entries()) {
      for (let document = 0; document < reader.documentCount; document++) {
        if (!reader.isDeleted(document)) places.set((await reader.readDocument(document)).id, { segment, document });
      }
    }
    return new PassageTexts(snapshot, places, close);
  }

  async read({ documentId, start, end }: RankedPassage): Promise<string> {
    const place = this.#places.get(documentId);
    return place === undefined ? "" : this.#snapshot.segments[place.segment]!.readText(place.document, start, end);
  }
}

const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, " ");

/**
 * 1-based rank of the first right passage; undefined if there is none. A passage of a SQuAD file is
 * right if it is the question's paragraph. Where a question names its document, a passage of that
 * document is right if it contains one of the answers (case and white space ignored).
 */
export async function rankOfGold(
  question: OpenQuestion,
  passages: readonly RankedPassage[],
  texts: PassageTexts | undefined,
): Promise<number | undefined> {
  const { goldPassages, document, answers } = question;
  const wanted = answers.map(plain);
  for (const [n, passage] of passages.entries()) {
    if (goldPassages?.includes(passage.documentId)) return n + 1;
    if (document === undefined || texts === undefined || !isNamedDocument(passage.documentId, document)) continue;
    const text = plain(await texts.read(passage));
    if (wanted.some((answer) => text.includes(answer))) return n + 1;
  }
  return undefined;
}
