/**
 * The indexing process, seen from the server: started when it is needed, and again after it died.
 */

import type { ChildProcess } from "node:child_process";
import type { VerbatimError } from "../../../src/errors.js";
import { childEndpoint } from "../../node/threads/endpoints.js";
import { startChild } from "../../node/threads/start-child.js";
import { RpcClient } from "../../rpc/client.js";
import type { IngestService, IngestSetup } from "./protocol.js";

/** The end of what the process wrote to standard error is kept for the log, in UTF-16 units. */
const MAX_STDERR_UNITS = 2000;

interface IndexerOptions {
  setup: IngestSetup;
  /** Called when the process dies unasked. @param stderr  the last lines that it wrote */
  onLost: (error: VerbatimError, stderr: string) => void;
}

export class Indexer {
  readonly #options: IndexerOptions;
  #running: { client: RpcClient<IngestService>; child: ChildProcess } | undefined;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Undefined while no process runs. */
  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** Starts the process if none runs. */
  client(): RpcClient<IngestService> {
    if (this.#running !== undefined) return this.#running.client;
    const { setup, onLost } = this.#options;
    const child = startChild("indexer-process", import.meta.url, [JSON.stringify(setup)]);
    let stderr = "";
    child.stderr?.on("data", (bytes: Buffer) => {
      stderr = (stderr + bytes.toString()).slice(-MAX_STDERR_UNITS);
    });
    (child.stderr as unknown as { unref?: () => void } | null)?.unref?.(); // only calls keep the server alive
    const client = new RpcClient<IngestService>(childEndpoint(child), {
      name: "the indexing process",
      onLost: (error) => {
        this.#forget(client);
        onLost(error, stderr.trim());
      },
    });
    this.#running = { client, child };
    return client;
  }

  /** Ends the process at once. Calls in progress fail, and the next one starts another process. */
  kill(): void {
    this.#running?.child.kill("SIGKILL");
  }

  /** Lets the process finish what it does, but kills it after `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const timer = setTimeout(() => running.child.kill("SIGKILL"), deadlineMs);
    await running.client.close();
    clearTimeout(timer);
    this.#forget(running.client);
  }

  #forget(client: RpcClient<IngestService>): void {
    if (this.#running?.client === client) this.#running = undefined;
  }
}
