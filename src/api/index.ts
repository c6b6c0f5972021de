/**
 * `verbatim-qa`: the engine without a runtime. Give it a storage and an encoder.
 *
 *     const storage = new MemoryStorage();
 *     const writer = await openWriter({ storage, encoder });
 *     await writer.add({ id: "1", title: "Observatory", text: "Ines Calder founded it in 1911." });
 *     await writer.commit();
 *     await writer.close();
 *
 *     const index = await openIndex({ storage, encoder });
 *     const { answers } = await index.ask("who founded the observatory?");
 *
 * `verbatim-qa/node` has the same functions for folders, and everything that reads files and models.
 */

export type { Features } from "../ask/confidence.js";
export type { AdvancedOptions, AskOptions } from "../ask/options.js";
export type { AskResult, NoAnswer, RestrictionResult } from "../ask/result.js";
export type {
  Calibration,
  EncodedPassage,
  EncodedQuestion,
  EncodeOptions,
  Encoder,
  ModelInfo,
  NgramRows,
  PassageInput,
  StoragePrecision,
  TermWeights,
} from "../encode/types.js";
export { type ErrorCode, type ErrorDetails, VerbatimError } from "../errors.js";
export { FilterSyntaxError } from "../filter/syntax-error.js";
export type { FileEntry } from "../index/format/container-writer.js";
export { type IndexLevel, LEVELS } from "../index/format/level.js";
export type { IndexInfo } from "../index/index-info.js";
export type { CheckReport } from "../index/maintain/check.js";
export type { IndexProblem } from "../index/maintain/check-problem.js";
export type { NewName } from "../index/merge/merge-work.js";
export type { ByteSource, FileWriter, Inflate, Storage, StorageLock } from "../index/ports.js";
export type { StoredDocument, StoredDocumentsCache } from "../index/segment/stored-documents.js";
export type { DocumentRecord, PreparedPassage } from "../index/types.js";
export type { CompactOptions, CompactReport } from "../index/write/compact-options.js";
export type { DocumentMove } from "../index/write/move.js";
export type { UpgradeOptions, UpgradeProgress, UpgradeReport } from "../index/write/upgrade.js";
export type { EncodeStored, StoredForEncoding } from "../index/write/upgrade-segment.js";
export type { Durability } from "../index/write/without-syncs.js";
export type { DocumentInput } from "../ingest/complete-document.js";
export type { IngestOptions, IngestProgress, SkippedDocument } from "../ingest/ingest.js";
export type { BoundPlace, Kernel, Matrix, PairRanges, PassageSums, Totals } from "../kernel/kernel.js";
export { type DraftQuotation, type DraftQuotations, quotationsIn } from "../quote/draft-quotations.js";
export {
  type NearestPassage,
  QUOTE_VERDICTS,
  type QuotationInput,
  type QuoteCheck,
  type QuoteMatch,
  type QuoteOptions,
  type QuotePlace,
  type QuoteVerdict,
  type StitchedPiece,
  type WordDifference,
} from "../quote/types.js";
export {
  type Interpolation,
  READER_MODES,
  type Reader,
  type ReaderInfo,
  type ReaderInput,
  type ReaderMode,
  type ReaderOutput,
  type Reading,
} from "../reader/types.js";
export { STRATEGY_NAMES, type StrategyName } from "../search/strategies/names.js";
export type {
  Answer,
  AnswerPlaceFields,
  DocumentFilter,
  FilterableDocument,
  NgramMatch,
  RankedPassage,
  ScoreParts,
  StepTimes,
} from "../search/types.js";
export type { TokenizeOptions, Tokenizer } from "../text/tokenizer.js";
export type { TokenOffsets, Tokens } from "../text/tokens.js";
export type {
  Document,
  Heading,
  MetadataValue,
  Place,
  SourceKind,
  SourceMap,
  SourceSegment,
} from "../types.js";
export type { Index, IndexCheckOptions } from "./index-handle.js";
export { MemoryStorage } from "./memory-storage.js";
export { type OpenIndexOptions, openIndex } from "./open-index.js";
export { type OpenWriterOptions, openWriter, type Writer } from "./writer.js";
