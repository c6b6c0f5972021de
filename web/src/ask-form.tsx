/** The field for the question, and the status line. */

import type { RefObject } from "preact";
import type { Result } from "./api.js";

interface FormProps {
  typed: string;
  onType: (text: string) => void;
  onAsk: (question: string) => void;
  field: RefObject<HTMLInputElement | null>;
  placeholder?: string;
}

export function AskForm({ typed, onType, onAsk, field, placeholder = "Ask your documents" }: FormProps) {
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
          Question
        </label>
        <input
          ref={field}
          id="q"
          type="search"
          autoComplete="off"
          maxLength={2000}
          dir="auto"
          placeholder={placeholder}
          value={typed}
          onInput={(event) => onType(event.currentTarget.value)}
        />
        <button type="submit">Ask</button>
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
  const isRefining = busy && fresh && result?.kind === "sentences";
  const searching = isRefining ? `${count(result)}; searching for exact answers …` : "Searching …";
  const text = busy ? searching + loading : result === undefined ? idle : summary(result);
  return (
    <p role="status" class="says quiet">
      {first}
      {text}
    </p>
  );
}

function count({ answers, kind }: Result): string {
  const one = kind === "sentences" ? "sentence" : "answer";
  return answers.length === 0 ? `No ${one}` : `${answers.length} ${one}${answers.length === 1 ? "" : "s"}`;
}

const summary = (result: Result): string => `${count(result)} in ${Math.max(1, Math.round(result.tookMs))} ms`;

/** "1,234 documents" */
export const documentsLabel = (documents: number): string =>
  documents === 0
    ? "No documents yet."
    : `${documents.toLocaleString("en")} ${documents === 1 ? "document" : "documents"}`;
