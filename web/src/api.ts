/** The page's calls to its server; the types are those of the generated client. */

import type { ShownField } from "../../adapters/browser/answer-view.js";
import type {
  DocumentLayout,
  Job,
  Overview,
  Answer as ServerAnswer,
  DocumentText as ServerDocument,
  Result as ServerResult,
  ServerStatus,
} from "../../adapters/client/client.js";
import { eventsOf } from "../../adapters/client/events.js";
import { isWithinPart } from "../../src/text/place.js";
import { RequestError } from "./request-error.js";
import { valuesOfTab } from "./stored-values.js";
import type { Translator } from "./texts/translator.js";
import type { Transport } from "./transport.js";

export type { DocumentLayout, Job, Overview, ServerStatus as Status } from "../../adapters/client/client.js";

export type DocumentText = Pick<ServerDocument, "id" | "title" | "source" | "length" | "from" | "to" | "text">;

/** The fields that the page shows: a published site has these, a server has more. */
export type Evidence = Pick<ServerAnswer, "documentId" | "title" | "source" | "start" | "end" | "place" | "score">;

export type Parts = NonNullable<ServerAnswer["parts"]>;

export interface Answer extends Evidence, Pick<ServerAnswer, ShownField | "passage"> {
  evidence: Evidence[];
}

export interface Result extends Pick<ServerResult, "kind" | "question" | "searchedFor" | "restriction" | "tookMs"> {
  answers: Answer[];
  nearestPassages?: Answer[];
}

const TOKEN_KEY = "verbatim-token";

/**
 * Stores `#token=…` from the address that the server printed, and removes it from the address, so
 * that shared links do not contain it.
 */
export function takeToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  setToken(token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** A header holds no other characters: a token with an ellipsis or a typographic quote was copied wrongly. */
const TOKEN = /^[\x21-\x7e]+$/;

export function setToken(token: string): void {
  if (!TOKEN.test(token)) valuesOfTab.remove(TOKEN_KEY);
  else valuesOfTab.set(TOKEN_KEY, token);
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = valuesOfTab.get(TOKEN_KEY);
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError("", 0, { code: "unreachable" });
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as ReportedProblem;
  if (response.status === 401) setToken("");
  throw errorOf({ ...problem, status: response.status });
}

/** A problem document, as far as it is used. */
interface ReportedProblem {
  title?: string;
  hint?: string;
  code?: string;
  progress?: number | null;
}

function errorOf({ title, hint, code, progress, status }: ReportedProblem & { status: number }): RequestError {
  return new RequestError([title, hint].filter(Boolean).join(" "), status, { code, progress: progress ?? undefined });
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await request(path, init)).json() as Promise<T>;
}

const postOf = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** Calls `onResult` with the answers so far, again as they improve. */
async function ask(question: string, rest: { signal: AbortSignal; onResult: (result: Result) => void }): Promise<void> {
  const init = postOf({ question });
  const headers = { ...init.headers, Accept: "text/event-stream" };
  const response = await request("/v1/ask", { ...init, headers, signal: rest.signal });
  for await (const { event, data } of eventsOf(response.body)) {
    if (event === "problem") throw errorOf(JSON.parse(data) as ReportedProblem & { status: number });
    rest.onResult(JSON.parse(data) as Result);
  }
}

const explain = (question: string): Promise<Result> => json("/v1/explain", postOf({ question }));

export const overview = (): Promise<Overview> => json("/v1/overview");

export const status = (): Promise<ServerStatus> => json("/v1/status");

export const job = (id: string): Promise<Job> => json(`/v1/jobs/${encodeURIComponent(id)}`);

export const upload = (file: File): Promise<Job> =>
  json(`/v1/uploads?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });

const documentPath = (id: string): string => `/v1/documents/${encodeURIComponent(id)}`;

function readDocument(id: string, from: number, to: number): Promise<DocumentText> {
  return json(`${documentPath(id)}?from=${Math.max(0, from)}&to=${to}`);
}

function readLayout(id: string, from: number, to: number): Promise<DocumentLayout> {
  return json(`${documentPath(id)}/layout?from=${Math.max(0, from)}&to=${to}`);
}

const readOriginal = async (id: string): Promise<ArrayBuffer> =>
  (await request(`${documentPath(id)}/original`)).arrayBuffer();

/** The server that served the page. */
export const server: Transport = { ask, explain, readDocument, readLayout, readOriginal };

/** "history.md:12", "paper.pdf, page 3", "offer.eml (attachment terms.txt:3)" */
export function placeLabel({ source, place }: Pick<Evidence, "source" | "place">, t: Translator): string {
  if (isWithinPart(place)) {
    const { path = "", ...within } = place;
    return `${source} (${placeLabel({ source: path, place: within }, t)})`;
  }
  if (place.page !== undefined) return t.text("pagePlace", { source, page: String(place.page) });
  if (place.line !== undefined) return `${source}:${place.line}`;
  return place.path === undefined ? source : `${source} (${place.path})`;
}
