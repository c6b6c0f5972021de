/** Checked quotations as lines of text. */

import { QUOTE_VERDICTS, type QuoteCheck, type QuotePlace, type QuoteVerdict } from "../../../src/quote/types.js";
import { placeLabel } from "./answers.js";
import { counted, plain, type Style } from "./terminal.js";

export const VERDICT_NAMES: Readonly<Record<QuoteVerdict, string>> = {
  exact: "exact",
  "same-words": "same words",
  stitched: "stitched",
  misattributed: "misattributed",
  "not-found": "not found",
};

const SHOWN_UNITS = 300;
const SHOWN_PLACES = 3;

/** `not found   line 12  “the quotation”`, and below it the places, or the nearest passage with the changes. */
export function quoteLines(check: QuoteCheck, { style, line }: { style: Style; line: number | undefined }): string[] {
  const { quotation, verdict, places, pieces = [], nearest, attribution, complete } = check;
  const at = line === undefined ? "" : `line ${line}: `;
  const lines = [`${style.bold(VERDICT_NAMES[verdict])}  ${at}“${shortened(quotation)}”`];
  if (attribution?.documentIds.length === 0)
    lines.push(`  no document is named ${plain(attribution.name)}, so the source was not checked`);
  if (verdict === "misattributed") lines.push(`  said to be in  ${plain(attribution!.name)}`);
  if (verdict === "same-words" && places[0] !== undefined) lines.push(`  document  “${shortened(places[0].text)}”`);
  for (const place of places.slice(0, SHOWN_PLACES)) lines.push(`  ${style.dim(placeText(place))}`);
  if (places.length > SHOWN_PLACES)
    lines.push(`  ${style.dim(`and ${counted(places.length - SHOWN_PLACES, "place")} more`)}`);
  for (const piece of pieces) {
    lines.push(`  “${shortened(piece.text)}”`, `    ${style.dim(placeText(piece.places[0]!))}`);
  }
  if (check.stitch === "other-order") lines.push("  the pieces are in another order");
  if (check.stitch === "several-documents") lines.push("  the pieces are in several documents");
  if (nearest !== undefined) {
    lines.push(`  nearest (${Math.round(100 * nearest.sharedWords)} % of the words)  ${style.dim(placeText(nearest))}`);
    lines.push(`  ${differenceText(check, style)}`);
  }
  if (complete === false) lines.push("  not every document was searched: the quotation has only very common words");
  return lines;
}

/** `12 quotations: 9 exact, 1 same words, 2 not found` */
export function quoteSummary(checks: readonly QuoteCheck[]): string {
  const parts = QUOTE_VERDICTS.map(
    (verdict) => [verdict, checks.filter((check) => check.verdict === verdict).length] as const,
  )
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${VERDICT_NAMES[verdict]}`);
  return `${counted(checks.length, "quotation")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

/** "the bridge was opened by [-Queen Maud-] {+King Olav+}": removed from and added to the document's words. */
function differenceText({ nearest }: QuoteCheck, style: Style): string {
  const parts = nearest!.difference.map(({ kind, text }) => {
    const words = shortened(text);
    return kind === "same" ? words : style.bold(kind === "missing" ? `[-${words}-]` : `{+${words}+}`);
  });
  return parts.join(" ");
}

/** `docs/history.md:11, 437–448` */
export function placeText({ documentId, source, place, start, end }: QuotePlace): string {
  return `${placeLabel(source === "" ? documentId : source, place)}, ${start}–${end}`;
}

function shortened(text: string): string {
  const line = plain(text);
  return line.length <= SHOWN_UNITS ? line : `${line.slice(0, SHOWN_UNITS).trimEnd()} …`;
}
