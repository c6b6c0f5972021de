/**
 * Reads pictures of pages with Tesseract, compiled to WebAssembly. It runs in this thread and loads nothing from the
 * network.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { unreadable, unsupported } from "../../skip.js";
import { RecognitionCache } from "./recognition-cache.js";
import type { RecognizedLine, RecognizedPage } from "./recognized.js";

/** Packages that must be installed; they take 58 MB, so neither comes with this one. */
const ENGINE = "tesseract.js-core";
const LANGUAGE_DATA = "@tesseract.js-data/eng";
export const INSTALL_HINT = `npm install ${ENGINE} ${LANGUAGE_DATA}`;

/** The part of the module of tesseract.js-core 7 that is used. */
interface TesseractModule {
  FS: { writeFile(path: string, bytes: Uint8Array): void };
  TessBaseAPI: new () => TesseractApi;
}
interface TesseractApi {
  /** 0 if it succeeds. */
  Init(folder: null, language: string, engineMode: number): number;
  /** Reads the picture in the file /input. 0 if it succeeds. */
  SetImageFile(exifOrientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  Clear(): void;
}
/** Neural network only: the data has nothing else. */
const LSTM_ONLY = 1;

export interface Recognizer {
  /**
   * The text of a picture: a PNG, JPEG or TIFF file, or a grey one as PGM.
   * @throws VerbatimError `unreadable-document` if the picture is damaged or needs too much memory
   */
  recognize(picture: Uint8Array, exifOrientation?: number): Promise<RecognizedPage>;
}

/** An engine that reads pictures, and what its results depend on besides the picture. */
export interface RecognitionEngine {
  version: string;
  recognize(picture: Uint8Array, exifOrientation: number): Promise<RecognizedPage>;
}

/**
 * A recogniser for the pictures of one file. The engine is loaded with the first picture, which takes half a second
 * once in a process.
 * @param options.cacheFolder  where results are kept and found again; undefined: nowhere
 * @param options.source  the file, with which its pages are kept
 * @throws VerbatimError `unsupported-document` if no engine is installed
 */
export function openRecognizer(options: {
  cacheFolder: string | undefined;
  source: string;
  engine?: RecognitionEngine;
}): Recognizer {
  const { cacheFolder, source, engine = tesseract() } = options;
  const cache = cacheFolder === undefined ? undefined : new RecognitionCache(cacheFolder);
  return {
    recognize: async (picture, orientation = 1) => {
      const key = cache && RecognitionCache.keyOf([engine.version, orientation, picture]);
      const known = key === undefined ? undefined : cache?.get(key);
      if (known !== undefined) return known;
      const page = await engine.recognize(picture, orientation);
      if (key !== undefined) cache?.set(key, page, source);
      return page;
    },
  };
}

const require = createRequire(import.meta.url);

function tesseract(): RecognitionEngine {
  try {
    const [engine, data] = [ENGINE, LANGUAGE_DATA].map((name) => require(`${name}/package.json`).version);
    return {
      version: `tesseract.js-core ${engine}, eng ${data}`,
      recognize: async (picture, orientation) => {
        loading ??= load();
        const loaded = await loading;
        return recognize(loaded, { picture, orientation });
      },
    };
  } catch {
    throw notInstalled();
  }
}

interface LoadedTesseract {
  module: TesseractModule;
  api: TesseractApi;
}

let loading: Promise<LoadedTesseract> | undefined;

async function load(): Promise<LoadedTesseract> {
  let factory: (options: object) => Promise<TesseractModule>;
  let data: Uint8Array;
  try {
    factory = require(`${ENGINE}/tesseract-core-simd-lstm.js`);
    data = gunzipSync(readFileSync(require.resolve(`${LANGUAGE_DATA}/4.0.0_best_int/eng.traineddata.gz`)));
  } catch {
    throw notInstalled();
  }
  const module = await factory({ print: () => {}, printErr: () => {} });
  module.FS.writeFile("eng.traineddata", data);
  const api = new module.TessBaseAPI();
  if (api.Init(null, "eng", LSTM_ONLY) !== 0) {
    throw unsupported("cannot be read: the language data does not fit the program", `Install both: ${INSTALL_HINT}`);
  }
  return { module, api };
}

function notInstalled(): Error {
  return unsupported("needs a program that reads scans", `Install it: ${INSTALL_HINT}`);
}

function recognize(
  { module: { FS }, api }: LoadedTesseract,
  { picture, orientation }: { picture: Uint8Array; orientation: number },
): RecognizedPage {
  try {
    FS.writeFile("/input", picture);
    if (api.SetImageFile(orientation, 0) !== 0) throw damagedPicture();
    api.Recognize(null);
    return pageOfTsv(api.GetTSVText(0));
  } catch (error) {
    if (!(error instanceof Error) || error.constructor.name !== "RuntimeError") throw error;
    // The engine has stopped for good: the next picture loads it again.
    loading = undefined;
    throw unreadable("has a picture that the text recognition cannot process", "Scan it again at 300 dpi.", error);
  } finally {
    FS.writeFile("/input", new Uint8Array());
    if (loading !== undefined) api.Clear();
  }
}

export function damagedPicture(): Error {
  return unreadable("is damaged (it cannot be read as a picture)", "Fetch it again, or leave it out.");
}

/**
 * Columns of Tesseract's TSV: level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
 */
const PAGE = 1;
const PARAGRAPH = 3;
const LINE = 4;
const WORD = 5;

/** The page that Tesseract describes in its TSV. */
function pageOfTsv(tsv: string): RecognizedPage {
  const page: RecognizedPage = { width: 0, height: 0, lines: [] };
  let line: RecognizedLine | undefined;
  let beginsParagraph = false;
  for (const row of tsv.split("\n")) {
    const columns = row.split("\t");
    const [level, , , , , , left, top, width, height, confidence] = columns.map(Number) as [number, ...number[]];
    const box = { left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 };
    if (level === PAGE) {
      page.width = box.width;
      page.height = box.height;
    } else if (level === PARAGRAPH) beginsParagraph = true;
    else if (level === LINE) line = undefined;
    else if (level === WORD) {
      const text = columns.slice(11).join(" ").trim();
      if (text === "") continue;
      if (line === undefined) {
        line = { words: [], beginsParagraph };
        beginsParagraph = false;
        page.lines.push(line);
      }
      line.words.push({ text, box, confidence });
    }
  }
  return page;
}
