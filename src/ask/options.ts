/** What asking with a reader may be asked to do: defaults and bounds. */

import type { ModelInfo } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { Reader, ReaderMode, ReadOptions } from "../reader/types.js";

/** Of what phrase search ranks: four give nearly what ten do, in half the time (docs/evaluation.md). */
const PHRASE_PASSAGES = 4;
/** Where nothing but words has ranked them. */
const WORD_PASSAGES = 10;
const MODES: readonly ReaderMode[] = ["off", "auto", "on"];

export interface ResolvedReading {
  mode: ReaderMode;
  passages: number;
  /** `auto` reads where phrase search is less sure. */
  readBelow: number;
  budgetMs: number;
  minConfidence: number | "calibrated";
}

/**
 * @param parts.pipeline  those whose answers are the reader's alone, and have no confidence: in `sparta-reader` it reads in any case, in `lexical`
 *   wherever there is one and it is not off
 * @throws VerbatimError `invalid-argument` for an option out of its range, a mode that needs what is not there, or a confidence without a
 *   calibration
 */
export function resolveReading(
  given: ReadOptions,
  parts: { model: ModelInfo; reader: Reader | undefined; pipeline: "sparta-reader" | "lexical" | undefined },
): ResolvedReading {
  const { model, reader, pipeline } = parts;
  const calibrated = model.calibration !== undefined && reader?.info.calibration !== undefined;
  const usual = calibrated && reader.info.readBelow !== undefined ? "auto" : "off";
  const mode = modeOf(pipeline, { given: given.readerMode, usual, reader });
  const {
    readerPassages: passages = pipeline === undefined ? PHRASE_PASSAGES : WORD_PASSAGES,
    readBelow = reader?.info.readBelow ?? 0,
    budgetMs = Number.POSITIVE_INFINITY,
    minConfidence = 0,
  } = given;
  if (!MODES.includes(mode)) refuse("readerMode", `one of ${MODES.join(", ")}`, mode);
  if (!Number.isInteger(passages) || passages < 1 || passages > 1000) {
    refuse("readerPassages", "an integer from 1 to 1000", passages);
  }
  if (given.readBelow !== undefined && !(readBelow >= 0 && readBelow <= 1))
    refuse("readBelow", "a number from 0 to 1", readBelow);
  if (!(budgetMs >= 1)) refuse("budgetMs", "a number of milliseconds, at least 1", budgetMs);
  if (minConfidence !== "calibrated" && !(minConfidence >= 0 && minConfidence <= 1)) {
    refuse("minConfidence", 'a number from 0 to 1, or "calibrated"', minConfidence);
  }
  if (mode !== "off" && reader === undefined) {
    throw new VerbatimError("invalid-argument", "There is no reader to read with.", {
      hint: "Open the index with a reader, or ask with the reader off.",
    });
  }
  if (mode === "auto" && usual !== "auto") {
    throw new VerbatimError(
      "invalid-argument",
      "auto needs to know when phrase search is unsure: the models are not calibrated.",
      {
        hint: "Ask with the reader on, or calibrate the models (scripts/calibrate.ts).",
      },
    );
  }
  const known = mode === "on" ? reader?.info.calibration : model.calibration;
  if (typeof minConfidence === "number" && minConfidence > 0 && (known === undefined || pipeline !== undefined)) {
    throw new VerbatimError(
      "invalid-argument",
      "There is no confidence to ask for: this way of asking was not calibrated.",
      {
        where: "minConfidence",
        hint: "Ask without a least confidence, or calibrate the model (scripts/calibrate.ts).",
      },
    );
  }
  return { mode, passages, readBelow, budgetMs, minConfidence };
}

/** A mode that is none is handed on, for the caller to refuse. */
function modeOf(
  pipeline: "sparta-reader" | "lexical" | undefined,
  { given, usual, reader }: { given: ReaderMode | undefined; usual: ReaderMode; reader: Reader | undefined },
): ReaderMode {
  if (pipeline === "sparta-reader") return "on";
  if (pipeline === undefined) return given ?? usual;
  return given === undefined ? (reader === undefined ? "off" : "on") : given === "auto" ? "on" : given;
}

function refuse(name: string, expected: string, found: unknown): never {
  throw new VerbatimError("invalid-argument", `${name} must be ${expected}, not ${found}.`, {
    found,
    expected,
    where: name,
    hint: `Give ${name} as ${expected}.`,
  });
}
