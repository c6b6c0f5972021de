/** What a table gets: data, models, finished parts, and where to report. */

import type { Io } from "../../adapters/cli/process-io.js";
import type { NodeReader } from "../../adapters/node/index.js";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { openReader } from "../../adapters/node/models/reader/reader.js";
import type { DataFiles } from "./data-files.js";
import type { PartStore } from "./part-store.js";
import type { Measured, Peer, Row } from "./types.js";

export type OpenEncoder = Awaited<ReturnType<typeof openEncoder>>;

/** A table of docs/results.md. */
export interface Table {
  name: string;
  peers: readonly Peer[];
  measure(context: PapersContext): Promise<Row[]>;
}

export interface PapersContext {
  data: DataFiles;
  parts: PartStore;
  models: Models;
  /** Folder of indexes and drawn corpora. */
  work: string;
  /** Number of questions per set; undefined for the full run. */
  sample: number | undefined;
  machine: string;
  io: Io;
  log(line: string): void;
}

/** Opened when first used. */
export class Models {
  readonly #folders: { encoder?: string; reader?: string; threads?: number };
  #encoder: Promise<OpenEncoder> | undefined;
  #reader: Promise<NodeReader> | undefined;

  constructor(folders: { encoder?: string; reader?: string; threads?: number }) {
    this.#folders = folders;
  }

  get encoderFolder(): string | undefined {
    return this.#folders.encoder;
  }

  encoder(): Promise<OpenEncoder> {
    this.#encoder ??= openEncoder({ modelFolder: this.#folders.encoder, threads: this.#folders.threads });
    return this.#encoder;
  }

  reader(): Promise<NodeReader> {
    this.#reader ??= this.encoder().then(({ model }) =>
      openReader({ folder: this.#folders.reader, model, threads: this.#folders.threads }),
    );
    return this.#reader;
  }

  async close(): Promise<void> {
    await (await this.#reader?.catch(() => undefined))?.close();
    await (await this.#encoder?.catch(() => undefined))?.close();
  }
}

/** Characters of a hash that a page shows. */
const SHOWN = 8;

/** The encoder's name with the hashes of its passage and question networks. */
export async function encoderName(models: Models): Promise<string> {
  const { name, passageModelHash, questionModelHash } = (await models.encoder()).info;
  return `${name} ${passageModelHash.slice(0, SHOWN)}/${questionModelHash.slice(0, SHOWN)}`;
}

export async function readerName(models: Models): Promise<string> {
  const { name, readerHash } = (await models.reader()).info;
  return `${name} ${readerHash.slice(0, SHOWN)}`;
}

export function measuredWith(model: string, { machine }: PapersContext): Measured {
  return { model, machine, date: new Date().toISOString().slice(0, 10) };
}
