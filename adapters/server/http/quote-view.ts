/** A checked quotation as callers see it: with public ids and sources. */

import type { QuoteCheck, QuotePlace } from "../../../src/quote/types.js";
import type { PathRedactor } from "./path-redactor.js";
import type { QuoteCheckView } from "./schemas.js";

export function quoteView(check: QuoteCheck, redactor: PathRedactor): QuoteCheckView {
  const { pieces, nearest, attribution, ...rest } = check;
  const shown = <P extends QuotePlace>(place: P): P => ({
    ...place,
    documentId: redactor.redact(place.documentId),
    source: redactor.redactSource(place.source),
  });
  return {
    ...rest,
    places: check.places.map(shown),
    ...(pieces && { pieces: pieces.map(({ text, places }) => ({ text, places: places.map(shown) })) }),
    ...(nearest && { nearest: shown(nearest) }),
    ...(attribution && {
      attribution: { ...attribution, documentIds: attribution.documentIds.map((id) => redactor.redact(id)) },
    }),
  };
}
