/** One parser process, seen from the run: jobs go in, their items come out in order, and a death is an item, too. */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import type { DocumentFormat } from "../formats.js";
import type { DeathReason, ParserItem, ParserMessage, ReadJob, ToParser } from "./messages.js";
import { STATUS_PIPE } from "./messages.js";

/** The process is gone; `job` is the one that it was doing, if any. */
export interface ParserDeath {
  kind: "died";
  job: number | undefined;
  /** Number of the message that it was reading, if the file is a mailbox. */
  record: number | undefined;
  reason: DeathReason | undefined;
  /** "SIGSEGV", "status 1": for a process that died without giving a reason. */
  how: string;
}

export class ParserProcess {
  readonly #child: ChildProcess;
  readonly #messages: ParserMessage[] = [];
  #current: ParserMessage = { items: [], cost: 0 };
  #at = 0;
  #death: ParserDeath | undefined;
  #wake: (() => void) | undefined;
  #status = "";
  #job: number | undefined;
  #record: number | undefined;
  #reason: DeathReason | undefined;
  #killed = false;
  /** It has loaded and answered. If a process dies before that, no file is to blame. */
  ready = false;

  /** Starts the process. */
  constructor({ maxMemoryMiB }: { maxMemoryMiB: number }) {
    const { module, execArgv } = childModule();
    this.#child = fork(module, [], {
      serialization: "advanced",
      // V8 collects harder when its heap comes near this, so that memory which could be freed does not count.
      execArgv: [...execArgv, `--max-old-space-size=${maxMemoryMiB}`],
      // The text of a document must not depend on the machine: a parser writes dates of forwarded mails, as 2004-02-03.
      env: { ...process.env, TZ: "UTC", LC_ALL: "sv_SE.UTF-8" },
      // What a parser prints about a broken file is not for the user's terminal.
      stdio: ["ignore", "ignore", "ignore", "ipc", "pipe"],
    });
    this.#child.on("message", (message) => this.#receive(message as ParserMessage));
    this.#child.on("error", () => {}); // `close` follows
    this.#child.on("close", (code, signal) => this.#die(signal ?? `status ${code}`));
    this.#statusPipe.on("data", (bytes: Buffer) => this.#readStatus(bytes.toString("latin1")));
    this.#statusPipe.on("error", () => {});
  }

  get #statusPipe(): Socket {
    return this.#child.stdio[STATUS_PIPE] as Socket;
  }

  get isAlive(): boolean {
    return this.#death === undefined && !this.#killed;
  }

  /** Loads the parsers of these formats ahead of their files. */
  prepare(formats: DocumentFormat[]): void {
    this.#send({ kind: "prepare", formats });
  }

  read(jobs: ReadJob[]): void {
    this.#send({ kind: "read", jobs });
  }

  sendBytes(bytes: Uint8Array | undefined): void {
    this.#send({ kind: "bytes", bytes });
  }

  /** The next item in order; of a process that has died, its death after the items that it had sent. */
  async next(signal?: AbortSignal): Promise<ParserItem | ParserDeath> {
    for (;;) {
      const item = this.#take();
      if (item !== undefined) return item;
      if (this.#death !== undefined) return this.#death;
      await this.#arrival(signal);
    }
  }

  /** Without effect on a process that is gone. */
  kill(): void {
    this.#killed = true;
    this.#child.kill("SIGKILL");
  }

  /** Whether the child keeps this process alive. */
  hold(held: boolean): void {
    if (held) {
      this.#child.ref();
      this.#child.channel?.ref();
      this.#statusPipe.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
      this.#statusPipe.unref();
    }
  }

  #take(): ParserItem | undefined {
    while (this.#at >= this.#current.items.length) {
      const { cost } = this.#current;
      if (cost > 0) this.#send({ kind: "consumed", cost });
      this.#current = { items: [], cost: 0 };
      this.#at = 0;
      const next = this.#messages.shift();
      if (next === undefined) return undefined;
      this.#current = next;
    }
    return this.#current.items[this.#at++];
  }

  #arrival(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal!.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      this.#wake = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
    });
  }

  #receive(message: ParserMessage): void {
    if (message.items[0]?.kind === "ready") {
      this.ready = true;
      return;
    }
    this.#messages.push(message);
    this.#awake();
  }

  #readStatus(text: string): void {
    const lines = (this.#status + text).split("\n");
    this.#status = lines.pop()!;
    for (const line of lines) {
      const [, record] = /^record (\d+)$/.exec(line) ?? [];
      if (record !== undefined) this.#record = Number(record);
      else if (/^\d+$/.test(line)) {
        this.#job = Number(line);
        this.#record = undefined;
      } else this.#reason = line as DeathReason;
    }
  }

  #die(how: string): void {
    // V8 aborts the process when its heap is full.
    const reason = this.#reason ?? (how === "SIGABRT" || how === "status 134" ? "memory" : undefined);
    this.#death = { kind: "died", job: this.#job, record: this.#record, reason, how };
    this.#awake();
  }

  #awake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #send(message: ToParser): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // a send that fails is followed by `close`
  }
}

/** The built module, or in tests and development its TypeScript source with a loader. */
function childModule(): { module: URL; execArgv: string[] } {
  if (!import.meta.url.endsWith(".ts")) return { module: new URL("./parser-child.js", import.meta.url), execArgv: [] };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return { module: new URL("./parser-child.ts", import.meta.url), execArgv: ["--import", loader] };
}
