/** The tool `quote`: checks one quotation, or all quotations of a draft. */

import { quotationsIn } from "../../src/quote/draft-quotations.js";
import type { QuotationInput } from "../../src/quote/types.js";
import { Problem } from "../server/http/problems.js";
import { quoteView } from "../server/http/quote-view.js";
import type { ServedIndex } from "../server/served-index.js";
import type { QuoteOutput } from "./schemas.js";

/** Quotations of one draft. */
const MAX_QUOTATIONS = 500;

interface QuoteRequest {
  quotation?: string;
  draft?: string;
  attributedTo?: string;
  documentId?: string;
  signal: AbortSignal;
}

/**
 * @throws Problem 400 for neither or both of quotation and draft, 404 for an unknown document; what the
 *   engine throws
 */
export async function quote(index: ServedIndex, request: QuoteRequest): Promise<QuoteOutput> {
  const { quotation, draft, attributedTo, documentId, signal } = request;
  if ((quotation === undefined) === (draft === undefined)) {
    throw new Problem(400, "invalid-argument", { title: "Give either quotation or draft." });
  }
  const id = documentId === undefined ? undefined : await index.documents.idOf(documentId);
  if (documentId !== undefined && id === undefined) throw noDocument();
  const found = draft === undefined ? undefined : quotationsIn(draft).quotations;
  if ((found?.length ?? 0) > MAX_QUOTATIONS) {
    const title = `The draft has more than ${MAX_QUOTATIONS} quotations.`;
    throw new Problem(413, "too-large", { title, hint: "Check it in parts." });
  }
  const inputs = (found ?? [{ text: quotation! }]).map(({ text, ...own }: QuotationInput): QuotationInput => {
    const source = attributedTo ?? own.attributedTo;
    const { mentioned } = own;
    return {
      text,
      ...(source && { attributedTo: source }),
      ...(mentioned && { mentioned }),
      ...(id && { documentId: id }),
    };
  });
  const checks = inputs.length === 0 ? [] : await index.requireOpen().quote(inputs, { signal });
  const quotations = checks.map((check, n) => ({
    ...quoteView(check, index.redactor),
    ...(found === undefined ? {} : { line: found[n]!.line }),
  }));
  return { exact: checks.every(({ verdict }) => verdict === "exact"), quotations };
}

export function noDocument(): Problem {
  return new Problem(404, "no-document", {
    title: "There is no such document.",
    hint: "list_documents returns the ids.",
  });
}
