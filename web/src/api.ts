/** What the page asks of the server; types as in docs/server.md. */

import type { Transport } from "./transport.js";

export interface Place {
  line?: number;
  page?: number;
  path?: string;
}

export interface Evidence {
  documentId: string;
  title: string;
  source: string;
  start: number;
  end: number;
  place: Place;
  score: number;
}

export type Parts = Record<"dense" | "ngram" | "terms" | "tfidf", number> & { reader?: number };

export interface Answer extends Evidence {
  text: string;
  context: string;
  contextStart: number;
  confidence?: number;
  evidence: Evidence[];
  parts?: Parts;
  ngrams?: { text: string; weight: number; side: "start" | "end" }[];
  passage?: { start: number; end: number; text: string };
}

export interface Result {
  /** "sentences": found by words alone, each answer a sentence; exact words follow. Only of a page without a server. */
  stage?: "sentences" | "answers";
  question: string;
  tookMs: number;
  answers: Answer[];
  nearest?: Answer[];
}

export interface Job {
  id: string;
  kind: string;
  state: "waiting" | "running" | "done" | "failed" | "stopped";
  progress: number | null;
  documents: number;
  unchanged: number;
  skipped: { source: string; reason: string; hint?: string }[];
  error?: { title: string; hint?: string };
}

export interface Status {
  version: number;
  documents: number;
  writable: boolean;
  tokenNeeded: boolean;
  scope: "ask" | "write" | "admin" | null;
  jobs: Job[];
}

export interface DocumentText {
  id: string;
  title: string;
  source: string;
  length: number;
  from: number;
  to: number;
  text: string;
}

/** A refusal as the server told it, or that it was not reached. */
export class RequestError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const TOKEN_KEY = "verbatim-token";

/** `#token=…` of the address that the server printed; taken out of the address at once, so that a shared link has none. */
export function takeToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  sessionStorage.setItem(TOKEN_KEY, token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export function setToken(token: string): void {
  if (token === "") sessionStorage.removeItem(TOKEN_KEY);
  else sessionStorage.setItem(TOKEN_KEY, token);
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError("The server cannot be reached. Is it still running?", 0);
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { title?: string; hint?: string };
  if (response.status === 401) setToken("");
  throw new RequestError(
    [problem.title ?? "The server refused.", problem.hint].filter(Boolean).join(" "),
    response.status,
  );
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await request(path, init)).json() as Promise<T>;
}

const posted = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** Tells the best answers so far, and again as they get better. */
async function ask(question: string, rest: { signal: AbortSignal; onResult: (result: Result) => void }): Promise<void> {
  const init = posted({ question });
  const headers = { ...init.headers, Accept: "text/event-stream" };
  const response = await request("/v1/ask", { ...init, headers, signal: rest.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer += value;
    for (let end = buffer.indexOf("\n\n"); end !== -1; end = buffer.indexOf("\n\n")) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(buffer.slice(0, end)) ?? [];
      buffer = buffer.slice(end + 2);
      if (data === undefined) continue;
      if (event === "problem") {
        const problem = JSON.parse(data) as { title: string; hint?: string; status: number };
        throw new RequestError([problem.title, problem.hint].filter(Boolean).join(" "), problem.status);
      }
      rest.onResult(JSON.parse(data) as Result);
    }
  }
}

const explain = (question: string): Promise<Result> => json("/v1/explain", posted({ question }));

export const status = (): Promise<Status> => json("/v1/status");

export const job = (id: string): Promise<Job> => json(`/v1/jobs/${encodeURIComponent(id)}`);

export const upload = (file: File): Promise<Job> =>
  json(`/v1/uploads?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });

function readDocument(id: string, from: number, to: number): Promise<DocumentText> {
  return json(`/v1/documents/${encodeURIComponent(id)}?from=${Math.max(0, from)}&to=${to}`);
}

/** The server that the page came from. */
export const server: Transport = { ask, explain, readDocument };

/** "history.md:12", "paper.pdf, page 3" */
export function placeLabel({ source, place }: Evidence): string {
  if (place.page !== undefined) return `${source}, page ${place.page}`;
  if (place.line !== undefined) return `${source}:${place.line}`;
  return place.path === undefined ? source : `${source} (${place.path})`;
}
