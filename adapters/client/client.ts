/**
 * `verbatim-qa/client`: the API of a server as functions, for every runtime with `fetch`.
 *
 *     const client = new VerbatimClient({ url: "http://127.0.0.1:4180" });
 *     const { answers } = await client.ask("who founded the observatory?", { topK: 3 });
 */

import type { components } from "./api.js";
import { eventsOf } from "./events.js";

export type { components } from "./api.js";

/** The bodies of the HTTP API, from its OpenAPI document. */
export type Schemas = components["schemas"];

export type Result = Schemas["Result"];
export type Answer = Result["answers"][number];
export type AskOptions = Omit<components["schemas"]["Ask"], "question" | "questions">;
export type Quoted = Schemas["Quoted"];
export type QuotationInput = NonNullable<Schemas["Quote"]["quotations"]>[number];
export type DocumentPage = Schemas["Documents"];
export type DocumentText = Schemas["DocumentText"];
export type Overview = Schemas["Overview"];
export type DocumentLayout = Schemas["DocumentLayout"];
export type PutDocument = Schemas["PutDocument"];
export type Job = Schemas["Job"];
export type ServerStatus = Schemas["Status"];
export type ProblemDocument = Schemas["Problem"];

/**
 * An error response: its problem document has the reason (`code`), the part of the request
 * (`where`) and the next step (`hint`).
 */
export class ProblemError extends Error {
  readonly problem: ProblemDocument;
  /** Seconds after which to try again, if the response has them. */
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemDocument, retryAfter?: number) {
    super([problem.title, problem.hint].filter(Boolean).join(" "));
    this.name = "ProblemError";
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

export interface ClientOptions {
  /** Address of the server, for example "http://127.0.0.1:4180"; may have a path before /v1. */
  url: string;
  token?: string;
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** How often `settled` looks at a job, in milliseconds. */
const JOB_EVERY_MS = 300;

export class VerbatimClient {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof globalThis.fetch;

  /** @throws TypeError for an invalid URL */
  constructor({ url, token, fetch = globalThis.fetch.bind(globalThis) }: ClientOptions) {
    const base = new URL(url);
    base.search = "";
    base.hash = "";
    this.#base = base.href.replace(/\/$/, "");
    this.#token = token;
    this.#fetch = fetch;
  }

  /**
   * @throws ProblemError for an error response; TypeError when the server cannot be reached; the
   *   reason of the signal
   */
  ask(question: string, { signal, ...options }: AskOptions & CallOptions = {}): Promise<Result> {
    return this.#json("/v1/ask", { ...posted({ question, ...options }), signal });
  }

  /** A batch in one request. The results are in the order of the questions. */
  async askMany(
    questions: readonly string[],
    { signal, ...options }: AskOptions & CallOptions = {},
  ): Promise<Result[]> {
    const { results } = await this.#json<Schemas["Results"]>("/v1/ask", {
      ...posted({ questions, ...options }),
      signal,
    });
    return results;
  }

  /** The best answer so far, each time it gets better. The last one is what `ask` returns. */
  async *askStream(
    question: string,
    { signal, ...options }: AskOptions & CallOptions = {},
  ): AsyncGenerator<{ final: boolean; result: Result }, void> {
    const init = posted({ question, ...options });
    const headers = { ...init.headers, Accept: "text/event-stream" };
    const response = await this.#request("/v1/ask", { ...init, headers, signal });
    let ended = false;
    for await (const { event, data } of eventsOf(response.body)) {
      const value = JSON.parse(data) as unknown;
      if (event === "problem") throw new ProblemError(value as ProblemDocument);
      ended = event === "final";
      if (ended || event === "answers") yield { final: ended, result: value as Result };
    }
    if (!ended) throw new TypeError("The response was truncated.");
  }

  /** Like `ask`, with the parts of each score and the passage. */
  explain(question: string, { signal, ...options }: AskOptions & CallOptions = {}): Promise<Result> {
    return this.#json("/v1/explain", { ...posted({ question, ...options }), signal });
  }

  /**
   * Checks quotations against the documents, or all quotations of a draft (Markdown or plain text).
   */
  quote(given: readonly QuotationInput[] | { draft: string }, { signal }: CallOptions = {}): Promise<Quoted> {
    const body = "draft" in given ? given : { quotations: given };
    return this.#json("/v1/quote", { ...posted(body), signal });
  }

  documents(query: { limit?: number; after?: string; contains?: string } & CallOptions = {}): Promise<DocumentPage> {
    const { signal, ...rest } = query;
    return this.#json(`/v1/documents${queryString(rest)}`, { signal });
  }

  /** What a start page shows: folders, the newest documents, and questions to begin with. */
  overview({ signal }: CallOptions = {}): Promise<Overview> {
    return this.#json("/v1/overview", { signal });
  }

  /** A document's text, or `text.slice(from, to)` of it; at most 262,144 UTF-16 units at a time. */
  document(id: string, range: { from?: number; to?: number } & CallOptions = {}): Promise<DocumentText> {
    const { signal, ...rest } = range;
    return this.#json(`${documentPath(id)}${queryString(rest)}`, { signal });
  }

  /** How `text.slice(from, to)` of a document is laid out: the pages of a PDF. */
  layout(id: string, range: { from?: number; to?: number } & CallOptions = {}): Promise<DocumentLayout> {
    const { signal, ...rest } = range;
    return this.#json(`${documentPath(id)}/layout${queryString(rest)}`, { signal });
  }

  /** The PDF file that a document came from, if its layout says that it can be sent. */
  async original(id: string, { signal }: CallOptions = {}): Promise<ArrayBuffer> {
    return (await this.#request(`${documentPath(id)}/original`, { signal })).arrayBuffer();
  }

  /**
   * Adds a document, or replaces the one with the same id. Needs the scope `write`, like all
   * methods below.
   */
  put(
    id: string,
    document: PutDocument,
    { wait = false, signal }: { wait?: boolean } & CallOptions = {},
  ): Promise<Job> {
    return this.#job(documentPath(id), { ...posted(document), method: "PUT", signal }, wait);
  }

  delete(id: string, { wait = false, signal }: { wait?: boolean } & CallOptions = {}): Promise<Job> {
    return this.#job(documentPath(id), { method: "DELETE", signal }, wait);
  }

  /** Adds a file of any format that `verbatim index` supports. */
  upload(
    name: string,
    content: Uint8Array<ArrayBuffer> | Blob | string,
    { wait = false, signal }: { wait?: boolean } & CallOptions = {},
  ): Promise<Job> {
    return this.#job(`/v1/uploads${queryString({ name })}`, { method: "POST", body: content, signal }, wait);
  }

  job(id: string, { signal }: CallOptions = {}): Promise<Job> {
    return this.#json(`/v1/jobs/${encodeURIComponent(id)}`, { signal });
  }

  /** Cancels a job. What it has committed stays in the index. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<Job> {
    return this.#json(`/v1/jobs/${encodeURIComponent(id)}`, { method: "DELETE", signal });
  }

  /** Waits until a job has ended. Its `state` says how. */
  async settled(job: Pick<Job, "id">, { signal }: CallOptions = {}): Promise<Job> {
    for (;;) {
      const current = await this.job(job.id, { signal });
      if (current.state !== "waiting" && current.state !== "running") return current;
      await new Promise((done) => setTimeout(done, JOB_EVERY_MS));
    }
  }

  status({ signal }: CallOptions = {}): Promise<ServerStatus> {
    return this.#json("/v1/status", { signal });
  }

  async #job(path: string, init: RequestInit, wait: boolean): Promise<Job> {
    const job = await this.#json<Job>(path, init);
    return wait ? this.settled(job, { signal: init.signal ?? undefined }) : job;
  }

  async #json<T>(path: string, init: RequestInit): Promise<T> {
    return (await this.#request(path, init)).json() as Promise<T>;
  }

  async #request(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== undefined) headers.set("Authorization", `Bearer ${this.#token}`);
    const response = await this.#fetch(this.#base + path, { ...init, headers });
    if (response.ok) return response;
    throw await problemOf(response);
  }
}

async function problemOf(response: Response): Promise<ProblemError> {
  const { status, statusText } = response;
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  // A proxy in between sends its own kind of error.
  const other = { type: "about:blank", title: statusText || `The server answered ${status}.`, status, code: "unknown" };
  const isProblem = /^application\/problem\+json\b/.test(response.headers.get("Content-Type") ?? "");
  const problem = isProblem ? ((await response.json().catch(() => other)) as ProblemDocument) : other;
  return new ProblemError(problem, retryAfter);
}

function posted(body: object): RequestInit & { headers: Record<string, string> } {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

function documentPath(id: string): string {
  return `/v1/documents/${encodeURIComponent(id)}`;
}

function queryString(query: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const text = given.toString();
  return text === "" ? "" : `?${text}`;
}
