/** What a table gets: data, models, finished parts, and where to report. */

import { createHash } from "node:crypto";
import { loadavg } from "node:os";
import type { Io } from "../../adapters/cli/process-io.js";
import type { NodeReader } from "../../adapters/node/index.js";
import type { ModelName } from "../../adapters/node/models/choice.js";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { openReader } from "../../adapters/node/models/reader/reader.js";
import type { DataFiles } from "./data-files.js";
import type { PartStore } from "./part-store.js";
import type { Examples, Measured, Peer, Row } from "./types.js";

export type OpenEncoder = Awaited<ReturnType<typeof openEncoder>>;

/** A table of docs/results.md. */
export interface Table {
  name: string;
  peers: readonly Peer[];
  measure(context: PapersContext): Promise<Row[]>;
  /** What the table should have and this run leaves out. */
  notMeasured?(context: PapersContext): Promise<NotMeasured[]>;
  /** Tables of texts, shown after the rows. */
  examples?(context: PapersContext): Promise<Examples[]>;
}

export interface NotMeasured {
  /** One line of the page. */
  what: string;
  /** The name of a corpus that rows of earlier runs may be about; they make the line needless. */
  corpus?: string;
}

export interface PapersContext {
  data: DataFiles;
  parts: PartStore;
  /** The English encoder and reader. */
  models: Models;
  /** The multilingual encoder and reader. */
  multilingual: Models;
  /** Folder of all-MiniLM-L6-v2; undefined: its rows are left out. */
  base: string | undefined;
  /** A Python with the packages that base models and peers need. */
  python: string;
  /** Folder of Lucene's jars; undefined: its rows are left out. */
  lucene: string | undefined;
  /** Folder of indexes and drawn corpora. */
  work: string;
  /** Number of questions per set, over a proportionally smaller corpus; undefined for the full run. */
  sample: number | undefined;
  /** Most questions per set over whole corpora: open questions, scaling and strategies. */
  questions: number | undefined;
  /** Key of the smallest corpus of the scaling study; undefined: the smallest of all. */
  smallest: string | undefined;
  /** Key of the largest corpus that is measured; undefined: the largest of all. */
  largest: string | undefined;
  machine: string;
  io: Io;
  log(line: string): void;
}

interface ModelsOptions {
  /** Folder of the encoder; default: the installed model with this name. */
  encoder?: string;
  model?: ModelName;
  /** Folder of the reader; default: the installed one for the encoder. */
  reader?: string;
  threads?: number;
}

/** Opened when first used. */
export class Models {
  readonly #options: ModelsOptions;
  #encoder: Promise<OpenEncoder> | undefined;
  #reader: Promise<NodeReader> | undefined;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  get encoderFolder(): string | undefined {
    return this.#options.encoder;
  }

  encoder(): Promise<OpenEncoder> {
    const { encoder, model, threads } = this.#options;
    this.#encoder ??= openEncoder({ modelFolder: encoder, model, threads });
    return this.#encoder;
  }

  reader(): Promise<NodeReader> {
    const { reader, threads } = this.#options;
    this.#reader ??= this.encoder().then(({ model }) => openReader({ folder: reader, model, threads }));
    return this.#reader;
  }

  async close(): Promise<void> {
    await (await this.#reader?.catch(() => undefined))?.close();
    await (await this.#encoder?.catch(() => undefined))?.close();
  }
}

/** Characters of a hash that a page shows. */
const SHOWN = 8;

/**
 * The encoder's name with the hashes of its passage network, its question network and its settings,
 * which have the weights of the score.
 */
export async function encoderName(models: Models): Promise<string> {
  const { info } = await models.encoder();
  return hashedName(info.name, [info.passageModelHash, info.questionModelHash, settingsHash(info)]);
}

/** The reader's name with the hashes of its network and of its settings. */
export async function readerName(models: Models): Promise<string> {
  const { info } = await models.reader();
  return hashedName(info.name, [info.readerHash, settingsHash(info)]);
}

function hashedName(name: string, hashes: readonly string[]): string {
  return `${name} ${hashes.map((hash) => hash.slice(0, SHOWN)).join("/")}`;
}

/** Keys of model.json that describe a model and change no answer (docs/model-format.md). */
const DESCRIPTIVE: ReadonlySet<string> = new Set(["name", "training", "quantisation", "metrics", "tuned", "notice"]);

/**
 * Hash of everything in a model's description that may decide an answer: two models with the same
 * settings and networks answer alike, whatever figures their descriptions report.
 */
export function settingsHash(info: object): string {
  return hashOf(Object.entries(info).filter(([key]) => !DESCRIPTIVE.has(key)));
}

/** SHA-256 (hex) of a value as JSON. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

export function measuredWith(model: string, { machine }: PapersContext): Measured {
  return { model, machine, date: new Date().toISOString().slice(0, 10), load: Math.round(loadavg()[0]!) };
}
