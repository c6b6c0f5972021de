/** Copies an answer with its source, or a link that opens it again. */

import { useState } from "preact/hooks";
import { linkTo, openedAt } from "./address.js";
import type { Answer } from "./api.js";
import { QUOTE_FORMATS, quoteText } from "./quote-text.js";
import { useTexts } from "./texts/localised.js";
import type { TextKey } from "./texts/types.js";

interface Props {
  answer: Answer;
  question: string;
  /** The page to which the link leads. */
  base: string | URL;
}

export function CopyQuote({ answer, question, base }: Props) {
  const t = useTexts();
  const [said, setSaid] = useState<TextKey | undefined>(undefined);
  const link = linkTo({ question, opened: openedAt(answer) }, base);
  const copy = async (text: string, copied: TextKey): Promise<void> => {
    setSaid((await write(text)) ? copied : "copyRefused");
  };
  return (
    <details class="copy">
      <summary>{t.text("copyQuote")}</summary>
      <div class="row">
        {QUOTE_FORMATS.map((format) => (
          <button
            type="button"
            class="link"
            key={format}
            onClick={() => void copy(quoteText(answer, format, { link, t }), "quoteCopied")}
          >
            {format === "Plain text" ? t.text("plainText") : format}
          </button>
        ))}
        <button type="button" class="link" onClick={() => void copy(link, "linkCopied")}>
          {t.text("link")}
        </button>
        <span role="status" class="quiet">
          {said !== undefined && t.parts(said)}
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
