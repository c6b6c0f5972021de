/** Copies an answer with its source, or a link that opens it again. */

import { useState } from "preact/hooks";
import { linkTo, openedAt } from "./address.js";
import type { Answer } from "./api.js";
import { QUOTE_FORMATS, quoteText } from "./quote-text.js";

export function CopyQuote({ answer, question }: { answer: Answer; question: string }) {
  const [said, setSaid] = useState("");
  const link = new URL(linkTo({ question, opened: openedAt(answer) }), location.href).href;
  const copy = async (text: string, what: string): Promise<void> => {
    setSaid((await write(text)) ? `${what} copied` : "Your browser does not allow copying here.");
  };
  return (
    <details class="copy">
      <summary>Copy quote</summary>
      <div class="row">
        {QUOTE_FORMATS.map((format) => (
          <button
            type="button"
            class="link"
            key={format}
            onClick={() => void copy(quoteText(answer, format, link), "Quote")}
          >
            {format}
          </button>
        ))}
        <button type="button" class="link" onClick={() => void copy(link, "Link")}>
          Link
        </button>
        <span role="status" class="quiet">
          {said}
        </span>
      </div>
    </details>
  );
}

/** Browsers have a clipboard only with HTTPS and on this machine; elsewhere a selection is copied. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
