/** A quote with its source as text, to be pasted elsewhere. */

import { oneLine } from "../../src/text/one-line.js";
import { type Answer, placeLabel } from "./api.js";
import type { Translator } from "./texts/translator.js";

export const QUOTE_FORMATS = ["Markdown", "Plain text", "BibTeX"] as const;
export type QuoteFormat = (typeof QUOTE_FORMATS)[number];

/**
 * The sentence of an answer, or the answer if its sentence is not known.
 * @param rest.link  address that opens the answer again
 */
export function quoteText(answer: Answer, format: QuoteFormat, { link, t }: { link: string; t: Translator }): string {
  const words = oneLine(answer.context.includes(answer.text) ? answer.context : answer.text);
  const { title } = answer;
  const place = placeLabel(answer, t);
  switch (format) {
    case "Markdown":
      return `> ${escaped(words)}\n>\n> — ${escaped(title)}, [${escaped(place)}](<${link}>)\n`;
    case "Plain text":
      return `${t.text("quoted", { words })} (${title === place ? place : `${title}, ${place}`})`;
    case "BibTeX": {
      const fields = [
        ["title", title],
        ["howpublished", answer.source],
        ["pages", answer.place.page === undefined ? undefined : String(answer.place.page)],
        [
          "note",
          answer.place.line === undefined ? undefined : t.text("linePlace", { line: String(answer.place.line) }),
        ],
        ["annote", t.text("quoted", { words })],
      ].filter(([, value]) => value !== undefined);
      const lines = fields.map(
        ([name, value]) => `  ${name} = {${value!.replace(/[{}\\]/g, "").replace(/([%&#$_])/g, "\\$1")}},`,
      );
      return `@misc{${keyOf(answer)},\n${lines.join("\n")}\n  url = {${link}}\n}\n`;
    }
  }
}

/** Marks of Markdown are shown as they are. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|~]/g, "\\$&");

/** "history_12_40": letters and digits of the file's name, and the place, so that it is the same again. */
function keyOf({ documentId, start, end }: Answer): string {
  const name = documentId
    .replace(/^.*\//, "")
    .replace(/\.\w+$/, "")
    .replace(/[^A-Za-z0-9]+/g, "-");
  return `${name.replace(/^-|-$/g, "") || "quote"}_${start}_${end}`;
}
