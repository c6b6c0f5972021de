/** The page: a question, its answers, and the documents that they stand in. */

import { render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { forgetAll, linkTo, type Opened, pastQuestions, readAddress, remember } from "./address.js";
import { Answers } from "./answers.js";
import { ask, RequestError, type Result, type Status, setToken, status, takeToken } from "./api.js";
import { DocumentView } from "./document.js";
import { Files } from "./files.js";

/** While documents are being taken in, what is there is asked for so often. */
const LOOK_EVERY_MS = 1000;

function Page() {
  const first = useRef(readAddress()).current;
  const [typed, setTyped] = useState(first.question);
  const [asked, setAsked] = useState(first.question);
  const [result, setResult] = useState<Result | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | undefined>(undefined);
  const [opened, setOpened] = useState<Opened | undefined>(first.opened);
  const [server, setServer] = useState<Status | undefined>(undefined);
  const [past, setPast] = useState(pastQuestions);
  const field = useRef<HTMLInputElement>(null);
  const underWay = useRef<AbortController | undefined>(undefined);

  const look = useCallback(async () => {
    try {
      setServer(await status());
    } catch (failed) {
      if (failed instanceof RequestError && failed.status !== 401) setError(failed.message);
      else setServer(await status().catch(() => undefined));
    }
  }, []);

  const run = useCallback(async (question: string) => {
    underWay.current?.abort();
    setError(undefined);
    setAsked(question);
    if (question.trim() === "") {
      setResult(undefined);
      setBusy(false);
      return;
    }
    const controller = new AbortController();
    underWay.current = controller;
    setBusy(true);
    document.title = `${question} · Verbatim`;
    try {
      await ask(question, { signal: controller.signal, onResult: setResult });
      remember(question);
      setPast(pastQuestions());
    } catch (failed) {
      if (controller.signal.aborted) return;
      setResult(undefined);
      setError(failed instanceof RequestError ? failed.message : "That did not work. Try again.");
    }
    if (underWay.current === controller) setBusy(false);
  }, []);

  const submit = (question: string): void => {
    setTyped(question);
    history.pushState(null, "", linkTo({ question, opened: undefined }));
    void run(question);
  };

  const open = (place: Opened | undefined): void => {
    setOpened(place);
    history.pushState(null, "", linkTo({ question: asked, opened: place }));
  };

  useEffect(() => {
    void look();
    if (first.opened === undefined) field.current?.focus();
    if (first.question !== "") void run(first.question);
    const onBack = (): void => {
      const address = readAddress();
      setOpened(address.opened);
      setTyped(address.question);
      setAsked((before) => {
        if (before !== address.question) void run(address.question);
        return address.question;
      });
    };
    addEventListener("popstate", onBack);
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("popstate", onBack);
      removeEventListener("keydown", onKey);
    };
  }, []);

  const working = server !== undefined && server.scope !== null && server.jobs.length > 0;
  useEffect(() => {
    if (!working) return;
    const timer = setTimeout(look, LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [server, working]);

  const mayWrite = server?.writable === true && (server.scope === "write" || server.scope === "admin");
  return (
    <>
      <main>
        <h1>
          <a
            href="/"
            onClick={(event) => {
              event.preventDefault();
              submit("");
              field.current?.focus();
            }}
          >
            Verbatim
          </a>
        </h1>
        <search>
          <form
            class="ask"
            onSubmit={(event) => {
              event.preventDefault();
              if (typed.trim() !== "") submit(typed.trim());
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
              placeholder="Ask your documents"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <button type="submit">Ask</button>
          </form>
        </search>
        <Says server={server} result={result} busy={busy} />
        {error !== undefined && <p role="alert">{error}</p>}
        {server?.tokenNeeded && server.scope === null && (
          <TokenForm
            onToken={async (token) => {
              setToken(token);
              await look();
              if (asked !== "") void run(asked);
            }}
          />
        )}
        <div aria-busy={busy}>
          {result !== undefined && asked !== "" && <Answers key={result.question} result={result} open={open} />}
        </div>
        {asked === "" && past.length > 0 && (
          <section class="past">
            <h2>Asked before</h2>
            <ul>
              {past.map((question) => (
                <li key={question}>
                  <button type="button" class="link" dir="auto" onClick={() => submit(question)}>
                    {question}
                  </button>
                </li>
              ))}
            </ul>
            <button
              type="button"
              class="link quiet"
              onClick={() => {
                forgetAll();
                setPast([]);
              }}
            >
              Forget them
            </button>
          </section>
        )}
        <Files mayWrite={mayWrite} onChange={look} />
      </main>
      <footer class="quiet">
        <kbd>/</kbd> question · <kbd>↓</kbd> <kbd>↑</kbd> answers · <kbd>Enter</kbd> open · <kbd>Esc</kbd> close ·{" "}
        <a href="/docs">API</a>
      </footer>
      {opened !== undefined && (
        <DocumentView key={`${opened.id} ${opened.start}`} opened={opened} close={() => open(undefined)} />
      )}
    </>
  );
}

/** The line that screen readers are told, and everyone sees. */
function Says({ server, result, busy }: { server: Status | undefined; result: Result | undefined; busy: boolean }) {
  const [job] = server?.jobs ?? [];
  const share = job?.progress;
  const taking =
    job === undefined ? undefined : `Taking documents in${share ? `, ${Math.round(share * 100)} %` : ""} … `;
  let text = "";
  if (busy) text = "Looking …";
  else if (result !== undefined) {
    const { length } = result.answers;
    text = length === 0 ? "No answer" : `${length} ${length === 1 ? "answer" : "answers"}`;
    text += ` in ${Math.max(1, Math.round(result.tookMs))} ms`;
  } else if (server !== undefined && server.scope !== null) {
    const { documents } = server;
    text =
      documents === 0
        ? "No documents yet."
        : `${documents.toLocaleString("en")} ${documents === 1 ? "document" : "documents"}`;
  }
  return (
    <p role="status" class="says quiet">
      {taking}
      {text}
    </p>
  );
}

function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const [token, setValue] = useState("");
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(token.trim());
      }}
    >
      <label>
        This server needs a token{" "}
        <input
          type="password"
          autoComplete="current-password"
          value={token}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Use it</button>
    </form>
  );
}

/** "/" to the question; arrows from answer to answer. */
function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
  const field = document.querySelector<HTMLInputElement>("#q");
  const { activeElement } = document;
  if (event.key === "/" && !(activeElement instanceof HTMLInputElement)) {
    event.preventDefault();
    field?.focus();
    field?.select();
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const buttons = [...document.querySelectorAll<HTMLElement>(".answers > li > .row > .open, .answers > li > .open")];
  const at = buttons.findIndex((button) => button.closest("li")?.contains(activeElement));
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  const target = next < 0 ? field : buttons[next];
  if (
    target === undefined ||
    target === null ||
    (at === -1 && activeElement !== field && activeElement !== document.body)
  )
    return;
  event.preventDefault();
  target.focus();
  target.closest("li")?.scrollIntoView({ block: "nearest" });
}

takeToken();
const root = document.getElementById("app")!;
root.replaceChildren();
render(<Page />, root);
