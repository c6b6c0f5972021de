/**
 * The whole app in this process: tiny encoder, index in memory, no port. Writing is done at once,
 * by the engine itself.
 */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type App, type AppParts, createApp } from "../../adapters/server/http/app.js";
import { readAssets } from "../../adapters/server/http/assets.js";
import { DEFAULT_LIMITS, type Limits } from "../../adapters/server/http/limits.js";
import type { LogLevel } from "../../adapters/server/http/log.js";
import { PathRedactor } from "../../adapters/server/http/path-redactor.js";
import type { JobView } from "../../adapters/server/http/schemas.js";
import type { Change } from "../../adapters/server/ingest/protocol.js";
import { Tokens } from "../../adapters/server/security/tokens.js";
import { ServedIndex } from "../../adapters/server/served-index.js";
import { openWriter } from "../../src/api/writer.js";
import type { ModelInfo } from "../../src/encode/types.js";
import type { Reader } from "../../src/reader/types.js";
import type { Document } from "../../src/types.js";
import { textDocument } from "../support/ask.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { TinyEncoder } from "../support/tiny-encoder.js";

export const ROOT = "/secret/home/person/notes";

export const ASK = "ask-token-0123456789";
export const WRITE = "write-token-0123456789";
export const ADMIN = "admin-token-0123456789";

export const TOWN: Document[] = [
  textDocument("history", "The observatory was founded by Ines Calder in 1911. It stands on Skarn hill.", "History"),
  textDocument("pump", "The pump stops when the tank is full. Its motor was built by Otto Brandt.", "Pump"),
  textDocument("odd/<b>name & co", "The <script>alert(1)</script> tower was built by Ann Doe in 1820. עברית.", "Odd"),
  {
    ...textDocument(`${ROOT}/deep/bridge`, "The bridge was opened by Queen Maud. It is 86 metres long.", "Bridge"),
    source: `${ROOT}/deep/bridge.txt`,
    metadata: { "file.folder": `${ROOT}/deep`, year: 1890 },
  },
  { ...textDocument("/other/place/mill", "The mill was sold by Karl Voss."), source: "/other/place/mill.txt" },
];

export interface LogLine {
  level: LogLevel;
  event: string;
  details: Readonly<Record<string, unknown>>;
}

export interface Served {
  app: App;
  index: ServedIndex;
  log: LogLine[];
  /** A request to http://localhost. */
  send(method: string, path: string, given?: Given): Promise<Response>;
}

export interface Given {
  json?: unknown;
  body?: RequestInit["body"];
  token?: string;
  headers?: Record<string, string>;
}

export interface ServedOptions {
  documents?: readonly Document[];
  limits?: Partial<Limits>;
  withTokens?: boolean;
  parts?: Partial<AppParts>;
  reader?: Reader;
  model?: Partial<ModelInfo>;
  /** Default: the folder `ROOT`. */
  redactor?: PathRedactor;
}

export async function served(options: ServedOptions = {}): Promise<Served> {
  const { documents = TOWN, withTokens = false } = options;
  const storage = new MemoryStorage();
  const encoder = new TinyEncoder(
    [...TOWN, ...documents].flatMap(({ title, text }) => [title, text]),
    options.model,
  );
  const { redactor = new PathRedactor([ROOT]) } = options;
  const index = ServedIndex.ofStorage({ storage, encoder, reader: options.reader, redactor });
  const apply = async (change: Change): Promise<number> => {
    const writer = await openWriter({ storage, encoder, autoMerge: false });
    try {
      if (change.kind === "put") await writer.add(change.documents);
      if (change.kind === "upload") {
        const text = await readFile(change.path, "utf8");
        await rm(dirname(change.path), { recursive: true });
        await writer.add([{ ...textDocument(change.name, text), source: change.name }]);
      }
      if (change.kind === "delete") await writer.delete(change.ids);
      return await writer.commit();
    } finally {
      await writer.close();
    }
  };
  if (documents.length > 0) await apply({ kind: "put", documents: [...documents] });
  await index.refresh();
  const log: LogLine[] = [];
  const limits = {
    ...DEFAULT_LIMITS,
    ratePerSecond: 1e6,
    rateBurst: 1e6,
    requestsPerSecond: 1e6,
    requestBurst: 1e6,
    ...options.limits,
  };
  const app = createApp({
    index,
    ingestion: new InlineIngestion(apply, index),
    tokens: Tokens.parse(`# tokens\nask ${ASK}\nwrite ${WRITE}\nadmin ${ADMIN}\n`),
    anonymous: withTokens ? undefined : "ask",
    site: { loopback: true, cors: [] },
    limits,
    log: (level, event, details = {}) => log.push({ level, event, details }),
    assets: await readAssets(),
    version: "0.0.0",
    ...options.parts,
  });
  const send = async (method: string, path: string, given: Given = {}): Promise<Response> => {
    const { json, token } = given;
    const headers: Record<string, string> = {
      Host: "localhost",
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...given.headers,
    };
    const body = json === undefined ? given.body : JSON.stringify(json);
    return app.request(`http://localhost${path}`, { method, headers, body, duplex: "half" } as RequestInit);
  };
  return { app, index, log, send };
}

/**
 * Applies changes in this process, one after the other. How the real one waits and fails is tested
 * in ingestion.test.ts.
 */
class InlineIngestion {
  readonly #apply: (change: Change) => Promise<number>;
  readonly #index: ServedIndex;
  readonly #jobs = new Map<string, { view: JobView; ended: Promise<void> }>();
  readonly status = { following: "off" as const, restarts: 0 };
  #last: Promise<void> = Promise.resolve();

  constructor(apply: (change: Change) => Promise<number>, index: ServedIndex) {
    this.#apply = apply;
    this.#index = index;
  }

  get openJobCount(): number {
    return this.openJobs.length;
  }

  get openJobs(): JobView[] {
    return [...this.#jobs.values()].map(({ view }) => view).filter(({ state }) => state !== "done");
  }

  job(id: string): JobView | undefined {
    return this.#jobs.get(id)?.view;
  }

  async upload(name: string, chunks: AsyncIterable<Uint8Array>): Promise<JobView> {
    const all: Uint8Array[] = [];
    for await (const chunk of chunks) all.push(chunk);
    const path = join(await mkdtemp(join(tmpdir(), "verbatim-served-")), name);
    await writeFile(path, Buffer.concat(all));
    return this.submit({ kind: "upload", name, path, bytes: Buffer.concat(all).length });
  }

  cancel(id: string): JobView | undefined {
    const view = this.job(id);
    if (view?.state === "running") view.state = "stopped";
    return view;
  }

  async settled(id: string): Promise<void> {
    await this.#jobs.get(id)?.ended;
  }

  submit(change: Change): JobView {
    const none = { documents: 0, unchanged: 0, deleted: 0, passages: 0 };
    const id = `job-${this.#jobs.size + 1}`;
    const view: JobView = { id, kind: change.kind, state: "running", progress: 0, ...none, skipped: [], version: null };
    this.#last = this.#last.then(async () => {
      view.version = await this.#apply(change);
      await this.#index.refresh();
      view.state = "done";
    });
    this.#jobs.set(id, { view, ended: this.#last });
    return view;
  }
}

export async function problemOf(
  response: Response,
): Promise<{ status: number; code: string; title: string; where?: string }> {
  if (response.headers.get("Content-Type") !== "application/problem+json") {
    throw new Error(`no problem document: ${response.status} ${(await response.text()).slice(0, 500)}`);
  }
  return response.json() as Promise<{ status: number; code: string; title: string; where?: string }>;
}
