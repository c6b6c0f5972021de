/**
 * The page: a question, its answers, and the documents that contain them. Props define where
 * answers come from.
 */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { linkTo, type Opened } from "./address.js";
import { Answers } from "./answers.js";
import { AskForm, StatusLine } from "./ask-form.js";
import { DocumentView } from "./document.js";
import { KeepFocus } from "./keep-focus.js";
import { LanguageChoice, RichText, useTexts } from "./texts/localised.js";
import type { Transport } from "./transport.js";
import { useAddress } from "./use-address.js";
import type { LoadPdfView } from "./use-opened-document.js";

interface Props {
  transport: Transport;
  title: string;
  /** Path of the site's folder, or of the server; questions are remembered for each. */
  folder: string;
  /** Loads what shows the pages of a PDF; undefined where there are no original files. */
  loadPdfView?: LoadPdfView;
  /** The status line before the first question. */
  idle: string;
  /** Text at the start of the status line. */
  first?: string;
  /** Text at the end of the status line while a question is being answered. */
  loading?: string;
  /** An error that is not about a question. */
  problem?: string | undefined;
  /** Shown below the status line; `again` repeats the question. */
  notice?: (again: () => void) => ComponentChildren;
  /** Shown while there is no question; `ask` asks one, `open` opens a document. */
  start?: (actions: { ask: (question: string) => void; open: (place: Opened) => void }) => ComponentChildren;
  /** Shown below the answers. */
  children?: ComponentChildren;
  footer?: ComponentChildren;
}

export function Page(props: Props) {
  const {
    transport,
    title,
    folder,
    loadPdfView,
    idle,
    first: before,
    loading,
    problem,
    notice,
    start,
    children,
    footer,
  } = props;
  const t = useTexts();
  const field = useRef<HTMLInputElement>(null);
  const { asking, typed, setTyped, asked, opened, past, submit, open, again, clearPast } = useAddress(transport, {
    title,
    folder,
    field,
  });
  const { result, busy, fresh } = asking;
  const shown = asked === "" ? undefined : result;
  const message = asking.error ?? problem;
  return (
    <>
      <main>
        <h1>
          <a
            href={linkTo({ question: "", opened: undefined })}
            onClick={(event) => {
              event.preventDefault();
              submit("");
              field.current?.focus();
            }}
          >
            {title}
          </a>
        </h1>
        <AskForm typed={typed} onType={setTyped} onAsk={submit} field={field} />
        <StatusLine idle={idle} first={before} loading={loading} result={result} busy={busy} fresh={fresh} />
        {message !== undefined && <p role="alert">{message}</p>}
        {asking.waiting !== undefined && (
          <p class="waiting" role="status">
            {asking.waiting}
          </p>
        )}
        {notice?.(again)}
        <div aria-busy={busy}>
          <KeepFocus list={shown && `${shown.kind} ${shown.question}`}>
            {shown?.searchedFor !== undefined && (
              <p class="none">{t.text("searchedFor", { words: shown.searchedFor })}</p>
            )}
            {shown !== undefined && <Answers result={shown} open={open} transport={transport} base={location.href} />}
          </KeepFocus>
        </div>
        {asked === "" && start?.({ ask: submit, open })}
        {asked === "" && past.length > 0 && <RecentQuestions questions={past} ask={submit} clear={clearPast} />}
        {children}
      </main>
      <footer class="quiet">
        <RichText text="keysHelp" values={KEYS} />
        <br />
        <RichText
          text="phrasesHelp"
          values={{
            phrase: <kbd>"{t.text("wordsExample")}"</kbd>,
            excluded: <kbd>-{t.text("wordExample")}</kbd>,
          }}
        />
        {footer}
        <br />
        <LanguageChoice />
      </footer>
      {opened !== undefined && (
        <DocumentView
          key={`${opened.id} ${opened.start}`}
          opened={opened}
          close={() => open(undefined)}
          transport={transport}
          loadPdfView={loadPdfView}
        />
      )}
    </>
  );
}

const KEYS = {
  slash: <kbd>/</kbd>,
  down: <kbd>↓</kbd>,
  up: <kbd>↑</kbd>,
  enter: <kbd>Enter</kbd>,
  escape: <kbd>Esc</kbd>,
};

function RecentQuestions(props: { questions: readonly string[]; ask: (question: string) => void; clear: () => void }) {
  const t = useTexts();
  return (
    <section class="past">
      <h2>{t.text("recentQuestions")}</h2>
      <ul>
        {props.questions.map((question) => (
          <li key={question}>
            <button type="button" class="link" dir="auto" onClick={() => props.ask(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="link quiet" onClick={props.clear}>
        {t.text("clear")}
      </button>
    </section>
  );
}
