/**
 * Static hosts as they are: some know no ranges, some compress, some are slow, some break a file, some go away. All
 * count what they give.
 */

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

export type HostKind =
  | "range"
  /** As `python3 -m http.server`: always the whole file. */
  | "no-range"
  /** Whole files, compressed, without a length. */
  | "compressing"
  /** Ranges of the compressed file: what a careless cache in between may give. */
  | "compressed-ranges"
  /** Says that it gives the range, and gives less. */
  | "short-ranges";

export interface HostOptions {
  kind?: HostKind;
  /** Address of the folder, as "/docs/answers/"; default "/". */
  path?: string;
  /** Milliseconds before every answer. */
  delay?: number;
  /** Changes an answer's bytes on their way. @param nth  how often this file was asked for before */
  tamper?: (path: string, bytes: Uint8Array, nth: number) => Uint8Array;
  /** More pages, by path. */
  pages?: Record<string, string>;
}

export interface Asked {
  path: string;
  /** Bytes of the body as they went over the wire. */
  bytes: number;
  began: number;
  ended: number;
  range: string | undefined;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

export class StaticHost {
  readonly asked: Asked[] = [];
  /** Stays what it was after `stop`. */
  origin = "";
  /** Set to change what the host does from now on. */
  options: HostOptions;
  readonly #folder: string;
  readonly #server: Server;
  readonly #counts = new Map<string, number>();

  private constructor(folder: string, options: HostOptions) {
    this.#folder = folder;
    this.options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(folder: string, options: HostOptions = {}): Promise<StaticHost> {
    const host = new StaticHost(folder, options);
    await new Promise<void>((done) => host.#server.listen(0, "127.0.0.1", done));
    host.origin = `http://127.0.0.1:${(host.#server.address() as { port: number }).port}`;
    return host;
  }

  /** Address of the folder. */
  get url(): string {
    return new URL(this.options.path ?? "/", this.origin).href;
  }

  get bytes(): number {
    return this.asked.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * The most requests of which each began when the one before had ended: what a visitor far away waits for.
   * @param asked  in the order in which they began
   */
  static roundTripsOf(asked: readonly Asked[]): number {
    const depth: number[] = [];
    for (const [n, { began }] of asked.entries()) {
      const before = asked.slice(0, n).map(({ ended }, k) => (ended <= began ? depth[k]! : 0));
      depth.push(1 + Math.max(0, ...before));
    }
    return Math.max(0, ...depth);
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path: prefix = "/", delay = 0, pages = {} } = this.options;
    const path = decodeURIComponent(new URL(request.url!, "http://host").pathname);
    const began = performance.now();
    if (delay > 0) await new Promise((done) => setTimeout(done, delay));
    const entry: Asked = { path, bytes: 0, began, ended: began, range: request.headers.range };
    this.asked.push(entry);
    const page = pages[path];
    const name =
      normalize(path.slice(prefix.length)) === "." ? "index.html" : path.slice(prefix.length) || "index.html";
    const found = page !== undefined ? Buffer.from(page) : path.startsWith(prefix) ? await this.#read(name) : undefined;
    if (found === undefined) {
      response.writeHead(404).end();
      return;
    }
    const nth = this.#counts.get(path) ?? 0;
    this.#counts.set(path, nth + 1);
    const bytes = this.options.tamper?.(path, found, nth) ?? found;
    const type = TYPES[page === undefined ? extname(name) : ".html"] ?? "application/octet-stream";
    const { status, headers, body } = this.#shape(bytes, request.headers.range);
    entry.bytes = body.length;
    response.writeHead(status, { "Content-Type": type, ...headers });
    await new Promise<void>((done) => response.end(body, done));
    entry.ended = performance.now();
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    if (name.includes("..")) return undefined;
    return readFile(join(this.#folder, name)).catch(() => undefined);
  }

  #shape(whole: Uint8Array, range: string | undefined): { status: number; headers: object; body: Uint8Array } {
    const { kind = "range" } = this.options;
    const isEncoded = kind === "compressing" || kind === "compressed-ranges";
    const bytes = isEncoded ? gzipSync(whole) : whole;
    const encoding = isEncoded ? { "Content-Encoding": "gzip" } : {};
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (from === undefined || kind === "no-range" || kind === "compressing") {
      return { status: 200, headers: encoding, body: bytes };
    }
    const end = Math.min(Number(to) + 1, bytes.length);
    const headers = { ...encoding, "Content-Range": `bytes ${from}-${end - 1}/${bytes.length}` };
    const body = bytes.subarray(Number(from), kind === "short-ranges" ? end - 1 : end);
    return { status: 206, headers, body };
  }
}
