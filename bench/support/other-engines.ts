/**
 * Peers that may be installed. They are not dependencies of the project, so each is loaded on
 * demand.
 */

import type { IndexSnapshot } from "../../src/index/types.js";

export interface Text {
  id: string;
  title: string;
  text: string;
}

/** All documents of an index, in the form that peers index. */
export async function textsOf(snapshot: IndexSnapshot): Promise<Text[]> {
  const texts: Text[] = [];
  for (const segment of snapshot.segments) {
    for (let n = 0; n < segment.documentCount; n++) {
      const { id, title, length } = await segment.readDocument(n);
      texts.push({ id, title, text: await segment.readText(n, 0, length) });
    }
  }
  return texts;
}

/** Exits with instructions if the peer is not installed. */
export async function loadPeer(name: string, all: readonly string[]): Promise<Record<string, unknown>> {
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch {
    console.error(`${name} is not installed. Run: npm install --no-save ${all.join(" ")}`);
    process.exit(2);
  }
}

export interface MiniSearchLike {
  addAll(documents: readonly Text[]): void;
  search(question: string): Array<{ id: string }>;
}

export async function openMiniSearch(texts: readonly Text[], all: readonly string[]): Promise<MiniSearchLike> {
  const { default: MiniSearch } = (await loadPeer("minisearch", all)) as {
    default: new (options: object) => MiniSearchLike;
  };
  const index = new MiniSearch({ fields: ["title", "text"] });
  index.addAll(texts);
  return index;
}
