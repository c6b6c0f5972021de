/** Publishes an index as a folder that any static host can serve (docs/browser.md). */

import { readFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { parseQuestionHead } from "../../../src/encode/question.js";
import { shellWord, throwIfAborted, VerbatimError } from "../../../src/errors.js";
import { type IndexLevel, isBelow } from "../../../src/index/format/level.js";
import { manifestName } from "../../../src/index/manifest/manifest.js";
import { type OpenSnapshot, openSnapshot } from "../../../src/index/open-snapshot.js";
import type { ByteSource } from "../../../src/index/ports.js";
import { cutFiles, type FileToCut } from "../../../src/publish/cut-files.js";
import {
  encodeSiteManifest,
  SITE_FORMAT_VERSION,
  SITE_MANIFEST,
  type SiteLevel,
  type SiteManifest,
} from "../../../src/publish/site-manifest.js";
import { type SiteData, writeSiteData } from "../../../src/publish/write-site-data.js";
import { parseVocabulary } from "../../../src/text/wordpiece/tokenizer.js";
import { requireIndex } from "../index-info.js";
import { type ModelOptions, modelFolderFor } from "../models/choice.js";
import { type ModelFile, readModelFile, vocabularyFile } from "../models/encoder/model-folder.js";
import { FileStorage } from "../storage/file-storage.js";
import { fillPage, readPageFiles } from "./page-files.js";
import { SiteFolder } from "./site-folder.js";

/** Small enough that a host without Range costs little more. */
const INDEX_CHUNK_BYTES = 256 * 1024;
/** The model is read whole; some hosts refuse files of more than 25 MB. */
const MODEL_CHUNK_BYTES = 4 * 1024 * 1024;
/** Files of the model that a question needs. */
const MODEL_FILES = ["model.json", "vocab.txt", "question.bin", "encoder.onnx"] as const;

export interface PublishOptions extends ModelOptions {
  /** Folder of the index. */
  index: string;
  /** Folder of the site. */
  out: string;
  /** "terms": finds sentences by their words; "full": finds exact spans too. Default "full". */
  level?: SiteLevel;
  /** Default "Verbatim". */
  title?: string;
  /**
   * Folder of the site on its host, for example "/answers/". Default: addresses are relative to the
   * page.
   */
  base?: string;
  /** Publishes into a folder with other files, unless the site has a file of the same name. */
  force?: boolean;
  /** Folder of the built page. Default: that of the package. */
  pageFolder?: string;
  signal?: AbortSignal;
}

export interface PublishReport {
  level: SiteLevel;
  documents: number;
  passages: number;
  /**
   * Bytes by kind: `page` is the page with its scripts, `index` the files of the index, `model` the
   * model and ONNX Runtime.
   */
  bytes: SiteData["bytes"] & { page: number; index: number; model: number };
  /** Number of files that were written, and of files that had the right content. */
  written: number;
  unchanged: number;
  writtenBytes: number;
  /** The first few sources of documents that are absolute paths of this machine. */
  absoluteSources: string[];
}

export async function publishSite(options: PublishOptions): Promise<PublishReport> {
  const { out, level = "full", signal } = options;
  const index = resolve(options.index);
  await requireIndex(index, options.index);
  const modelFolder = await modelFolderFor({ ...options, index });
  const model = await readModelFile(modelFolder);
  refuseUnigram(model);
  const page = await readPageFiles(options.pageFolder);
  const storage = new FileStorage(index);
  const snapshot = await openSnapshot(storage, { signal, expectModel: model });
  try {
    refuseLower(snapshot, { level, index: options.index });
    if (level === "full") refuseDeleted(snapshot, options.index);
    const folder = await SiteFolder.open(resolve(out), { force: options.force ?? false, assets: page.assets });
    try {
      return await write(folder, { snapshot, storage, model, modelFolder, page, options: { ...options, level } });
    } catch (error) {
      await folder.abandon();
      throw error;
    }
  } finally {
    await snapshot.close();
  }
}

/**
 * Sentences need term postings and exact spans need stored rows; an index of a lower level lacks
 * one or both.
 */
function refuseLower({ segments }: OpenSnapshot, { level, index }: { level: SiteLevel; index: string }): void {
  const needs: IndexLevel = level === "full" ? "full" : "thin";
  const lowest = segments.map((segment) => segment.level).find((found) => isBelow(found, needs));
  if (lowest === undefined) return;
  const instead = level === "full" && lowest === "thin" ? ", or publish with --level terms" : "";
  throw new VerbatimError(
    "invalid-argument",
    `${index} has level ${lowest}, which is too low for a site of level ${level}.`,
    {
      found: lowest,
      expected: needs,
      where: index,
      hint: `Run verbatim upgrade --level ${needs} --index ${shellWord(index)} first${instead}.`,
    },
  );
}

/** The page's own files have a WordPiece vocabulary. */
function refuseUnigram(model: ModelFile): void {
  if (vocabularyFile(model).name === "vocab.txt") return;
  throw new VerbatimError("invalid-argument", `An index of the model ${model.name} cannot be published as a site.`, {
    found: model.name,
    hint: "Serve it with verbatim serve, or index the documents with --model en.",
  });
}

/**
 * The files of an index contain deleted documents until `compact`; publishing must not reveal them.
 */
function refuseDeleted({ segments }: OpenSnapshot, index: string): void {
  const deleted = segments.reduce((sum, segment) => sum + segment.deletedDocumentCount, 0);
  if (deleted === 0) return;
  throw new VerbatimError(
    "invalid-argument",
    `The files of ${index} still contain ${deleted} deleted ${deleted === 1 ? "document" : "documents"}.`,
    {
      found: deleted,
      hint: `Run verbatim compact --full --index ${shellWord(index)} first, or publish with --level terms.`,
    },
  );
}

interface Parts {
  snapshot: OpenSnapshot;
  storage: FileStorage;
  model: ModelFile;
  modelFolder: string;
  page: Awaited<ReturnType<typeof readPageFiles>>;
  options: PublishOptions & { level: SiteLevel };
}

async function write(folder: SiteFolder, parts: Parts): Promise<PublishReport> {
  const { snapshot, model, modelFolder, page, options } = parts;
  const { level, title = "Verbatim", signal } = options;
  const base = baseOf(options.base);
  const vocabulary = parseVocabulary(await readFile(join(modelFolder, "vocab.txt"), "utf8"));
  const head = parseQuestionHead(await readFile(join(modelFolder, "question.bin")), {
    ...model,
    vocabularySize: vocabulary.length,
  });
  if (head === undefined) {
    const hint = "Install the package again, or choose a model folder with --model DIR.";
    throw new VerbatimError("model-missing", `question.bin in ${modelFolder} has the wrong size.`, { hint });
  }
  const { put } = folder;
  const data = await writeSiteData(snapshot, { model, vocabulary, gains: head.gains, put, signal });
  const table = level === "full" ? await cutFiles(await filesOf(parts), { put, signal }) : undefined;
  throwIfAborted(signal);
  let pageBytes = 0;
  const isNeeded = (name: string): boolean => level === "full" || name !== page.worker;
  const assets = [...page.assets.keys()].filter(isNeeded).sort();
  for (const name of assets) {
    pageBytes += page.assets.get(name)!.length;
    await folder.replace(name, page.assets.get(name)!);
  }
  const html = Buffer.from(
    fillPage(page.html, { title, base, start: `data/${data.start}.bin`, manifest: SITE_MANIFEST }),
  );
  await folder.replace("index.html", html);
  const { start, list, documents, passages } = data;
  const terms = Object.values(data.bytes).reduce((sum, bytes) => sum + bytes, 0);
  const modelBytes = table?.bytesBelow("model/") ?? 0;
  const manifest: SiteManifest = {
    formatVersion: SITE_FORMAT_VERSION,
    title,
    level,
    documents,
    passages,
    start,
    list,
    ...(table === undefined ? {} : { files: table.name, worker: page.worker }),
    assets,
    bytes: { terms, phrases: table?.bytes ?? 0, model: modelBytes },
  };
  await folder.replace(SITE_MANIFEST, Buffer.from(encodeSiteManifest(manifest)));
  await folder.finish();
  const indexBytes = (table?.bytes ?? 0) - modelBytes;
  return {
    level,
    documents,
    passages,
    bytes: { ...data.bytes, page: pageBytes + html.length, index: indexBytes, model: modelBytes },
    written: folder.written,
    unchanged: folder.unchanged,
    writtenBytes: folder.writtenBytes,
    absoluteSources: await absoluteSources(snapshot),
  };
}

function baseOf(base = "./"): string {
  if (base === "./") return base;
  const path = base.endsWith("/") ? base : `${base}/`;
  if (/^(\/|https?:\/\/)/.test(path) && !/["'<>\s]/.test(path)) return path;
  throw new VerbatimError("invalid-argument", `"${base}" is not the address of a folder.`, {
    found: base,
    hint: "Give --base as a path with slashes, for example /answers/.",
  });
}

/** The files of the index in this version, of the model, and the runtime. */
async function filesOf({ snapshot, storage, modelFolder, page }: Parts): Promise<FileToCut[]> {
  const names = [
    manifestName(snapshot.version),
    ...snapshot.manifest.segments.flatMap(({ files }) => files.map((file) => file.name)),
  ];
  const files: FileToCut[] = [];
  for (const name of names) {
    const open = (): Promise<ByteSource> => storage.open(name);
    files.push({ name: `index/${name}`, chunkBytes: INDEX_CHUNK_BYTES, open });
  }
  for (const name of MODEL_FILES) {
    const open = async (): Promise<ByteSource> => memorySource(await readFile(join(modelFolder, name)));
    files.push({ name: `model/${name}`, chunkBytes: MODEL_CHUNK_BYTES, open });
  }
  const open = async (): Promise<ByteSource> => memorySource(page.runtime);
  files.push({ name: "model/runtime.wasm.gz", chunkBytes: MODEL_CHUNK_BYTES, open });
  return files;
}

const memorySource = (bytes: Uint8Array): ByteSource => ({
  size: async () => bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
  close: async () => {},
});

/**
 * The first few sources or ids that are absolute paths, which reveal the folders of this machine.
 */
async function absoluteSources({ segments }: OpenSnapshot): Promise<string[]> {
  const found = new Set<string>();
  for (const segment of segments) {
    for (let document = 0; document < segment.documentCount && found.size < 3; document++) {
      if (segment.isDeleted(document)) continue;
      const { source, id } = await segment.readDocument(document);
      const named = [source, id].find((name) => isAbsolute(name) || /^[a-z]:[\\/]/i.test(name));
      if (named !== undefined) found.add(named);
    }
  }
  return [...found];
}
