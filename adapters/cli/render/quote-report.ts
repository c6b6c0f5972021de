/** Checked quotations as one HTML file without scripts and without references to others. */

import { QUOTE_VERDICTS, type QuoteCheck, type QuotePlace } from "../../../src/quote/types.js";
import { escapeHtml } from "../../../src/text/escape-html.js";
import { htmlDocument } from "./html-document.js";
import { placeText, quoteSummary, VERDICT_NAMES } from "./quotations.js";

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
article{border-left:.35rem solid #b3261e;padding:.1rem 1rem;margin:1.5rem 0}
article.exact{border-color:#1b7f3b}article.same-words,article.stitched{border-color:#b07400}
h2{font-size:1rem;margin:.3rem 0}blockquote{margin:.5rem 0;white-space:pre-wrap}
p{margin:.3rem 0}.place{opacity:.75;font-size:.9rem}
del{background:#b3261e22}ins{background:#1b7f3b22}`;

/** @param about.lines  line in the draft of each check; empty for a single quotation */
export function quoteReport(
  checks: readonly QuoteCheck[],
  { name, lines }: { name: string; lines: readonly number[] },
): string {
  const title = name === "" ? "Quotation checked" : `Quotations in ${name}`;
  const known = QUOTE_VERDICTS.filter((verdict) => checks.some((check) => check.verdict === verdict));
  const body = `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(quoteSummary(checks))}</p>
${checks.map((check, n) => articleOf(check, lines[n])).join("\n")}
${known.length === 0 ? "<p>No quotation was found.</p>" : ""}
</main>`;
  return htmlDocument({ title: escapeHtml(title), style: STYLE, body });
}

function articleOf(check: QuoteCheck, line: number | undefined): string {
  const { quotation, verdict, places, pieces = [], nearest, attribution, stitch } = check;
  const rows = [`<h2>${VERDICT_NAMES[verdict]}${line === undefined ? "" : `, line ${line}`}</h2>`];
  rows.push(`<blockquote>${escapeHtml(quotation)}</blockquote>`);
  if (attribution !== undefined) {
    const unknown = attribution.documentIds.length === 0 ? " (not in the index)" : "";
    rows.push(`<p>Named source: ${escapeHtml(attribution.name)}${unknown}</p>`);
  }
  if (verdict === "same-words")
    rows.push(`<p>In the document:</p><blockquote>${escapeHtml(places[0]!.text)}</blockquote>`);
  for (const place of places) rows.push(placeRow(place));
  for (const piece of pieces) {
    rows.push(`<blockquote>${escapeHtml(piece.text)}</blockquote>`, placeRow(piece.places[0]!));
  }
  if (stitch === "other-order") rows.push("<p>The pieces are in another order.</p>");
  if (stitch === "several-documents") rows.push("<p>The pieces are in several documents.</p>");
  if (nearest !== undefined) {
    const words = nearest.difference.map(({ kind, text }) => {
      const tag = kind === "missing" ? "del" : "ins";
      return kind === "same" ? escapeHtml(text) : `<${tag}>${escapeHtml(text)}</${tag}>`;
    });
    rows.push(`<p>Nearest passage, ${Math.round(100 * nearest.sharedWords)} % of the words:</p>`);
    rows.push(`<blockquote>${words.join(" ")}</blockquote>`, placeRow(nearest));
  }
  return `<article class="${verdict}">\n${rows.join("\n")}\n</article>`;
}

function placeRow(place: QuotePlace): string {
  return `<p class="place">${escapeHtml(place.title)} · ${escapeHtml(placeText(place))}</p>`;
}
