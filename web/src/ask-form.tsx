/** The field for the question, and the status line. */

import type { RefObject } from "preact";
import type { Result } from "./api.js";
import { useTexts } from "./texts/localised.js";
import type { Translator } from "./texts/translator.js";

interface FormProps {
  typed: string;
  onType: (text: string) => void;
  onAsk: (question: string) => void;
  field: RefObject<HTMLInputElement | null>;
  placeholder?: string;
}

export function AskForm({ typed, onType, onAsk, field, placeholder }: FormProps) {
  const t = useTexts();
  return (
    <search>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== "") onAsk(typed.trim());
        }}
      >
        <label class="hidden" for="q">
          {t.text("question")}
        </label>
        <input
          ref={field}
          id="q"
          type="search"
          autoComplete="off"
          maxLength={2000}
          dir="auto"
          placeholder={placeholder ?? t.text("askYourDocuments")}
          value={typed}
          onInput={(event) => onType(event.currentTarget.value)}
        />
        <button type="submit">{t.text("ask")}</button>
      </form>
    </search>
  );
}

interface StatusLineProps {
  /** Text before the first question. */
  idle: string;
  /** Text at the start of the line. */
  first?: string;
  /** Text at the end of the line while a question is being answered. */
  loading?: string;
  result: Result | undefined;
  busy: boolean;
  fresh: boolean;
}

/** The status line; screen readers announce it. */
export function StatusLine({ idle, first, loading = "", result, busy, fresh }: StatusLineProps) {
  const t = useTexts();
  const isRefining = busy && fresh && result?.kind === "sentences";
  const searching = isRefining ? t.text("searchingExact", { found: count(result, t) }) : t.text("searching");
  const text = busy ? searching + loading : result === undefined ? idle : summary(result, t);
  return (
    <p role="status" class="says quiet">
      {first}
      {text}
    </p>
  );
}

function count({ answers: { length }, kind }: Result, t: Translator): string {
  if (kind === "sentences") return length === 0 ? t.text("noSentences") : t.text("sentencesFound", { count: length });
  return length === 0 ? t.text("noAnswers") : t.text("answersFound", { count: length });
}

const summary = (result: Result, t: Translator): string =>
  t.text("found", { found: count(result, t), ms: String(Math.max(1, Math.round(result.tookMs))) });

/** "1,234 documents" */
export const documentsLabel = (documents: number, t: Translator): string =>
  documents === 0 ? t.text("noDocuments") : t.text("documents", { count: documents });
