/** HTML made on the server: every text is escaped, so that documents are shown and never run. */

import { escapeHtml } from "../../../src/text/escape-html.js";

/** Markup. Everything else is escaped when it is put into HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | undefined | readonly Piece[];

/** A template whose values are escaped, except `Html`. Lists are joined, undefined is left out. */
export function html(strings: TemplateStringsArray, ...values: Piece[]): Html {
  return new Html(strings.map((string, i) => string + (i < values.length ? show(values[i]) : "")).join(""));
}

function show(value: Piece): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(show).join("");
  return escapeHtml(String(value));
}

/** A complete page in the style of the app, without scripts. @param language  of its own texts */
export function page(title: string, body: Html, language = "en"): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/assets/page.css">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
</head>
<body>${body}</body>
</html>
`.text;
}
