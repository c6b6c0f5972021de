/** The tool `list_documents`: documents of the index, page by page. */

import { Problem } from "../server/http/problems.js";
import type { ServedIndex } from "../server/served-index.js";
import type { ListOutput } from "./schemas.js";

/** @throws Problem 400 if there is no document `after` */
export async function list(
  index: ServedIndex,
  query: { limit: number; after?: string; contains?: string },
): Promise<ListOutput> {
  const page = index.isOpen ? await index.documents.list(query) : { documents: [], total: 0 };
  if (page === undefined) {
    throw new Problem(400, "invalid-argument", {
      title: "after: there is no such document any more.",
      hint: "Call again without it.",
    });
  }
  return { ...page, documents: page.documents.map(({ id, title, source, length }) => ({ id, title, source, length })) };
}
