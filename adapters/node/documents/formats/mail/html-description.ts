/** Descriptions of events that are written in HTML, as programs for calendars and for video calls do. */

import type { ReadLimits } from "../../limits.js";
import { skipOf } from "../../skip.js";
import { parseHtml } from "../html/html.js";
import { writeHtmlText } from "../html/html-text.js";
import type { TextBuilder } from "../text-builder.js";
import { type ContentLine, unescaped } from "./content-lines.js";

/** A tag of text in HTML. Others are words in brackets, such as `<name>`. */
const TAG = /<\/?(?:a|b|br|div|em|h[1-6]|html-blob|i|li|ol|p|span|strong|table|tbody|td|th|tr|u|ul)(?:\s[^<>]*|\/)?>/i;
const TAG_OR_BREAKS = /<[^<>]*>|\n+/g;
const HEADING_TAG = /^(<\/?)h[1-6]\b/i;

/**
 * Writes a description that has HTML tags as text; its place is the line of the file.
 * @returns false if it is not HTML, or cannot be read as HTML: nothing is written
 */
export function writeHtmlDescription(
  { value, line }: ContentLine,
  builder: TextBuilder,
  { limits }: { limits: ReadLimits },
): boolean {
  const text = unescaped(value);
  if (!TAG.test(text)) return false;
  const tree = treeOf(withLineBreaks(text), limits);
  if (tree === undefined) return false;
  builder.separate("\n");
  writeHtmlText(tree, builder, { mark: () => ({ line }) });
  return true;
}

/**
 * Programs show the line breaks of such a description, to which some add plain text. Headings become paragraphs: what
 * follows them still belongs to the event.
 */
function withLineBreaks(html: string): string {
  return html.replace(TAG_OR_BREAKS, (found) => {
    if (found.startsWith("<")) return found.replace(HEADING_TAG, "$1div");
    return found.length === 1 ? "<br>" : "<div></div>";
  });
}

function treeOf(html: string, limits: ReadLimits): ReturnType<typeof parseHtml> | undefined {
  try {
    return parseHtml(html, limits);
  } catch (error) {
    if (skipOf(error, "") === undefined) throw error;
    return undefined;
  }
}
