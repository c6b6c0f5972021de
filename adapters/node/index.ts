/**
 * `verbatim-qa/node`: the engine on folders and files.
 *
 *     import { indexPaths, openIndex } from "verbatim-qa/node";
 *
 *     await indexPaths(["notes", "papers/*.pdf"], { index: "my.index" });
 *     const index = await openIndex({ path: "my.index" });
 *     const { answers } = await index.ask("who founded the observatory?");
 *     await index.close();
 */

export type * from "../../src/api/index.js";
export { MemoryStorage } from "../../src/api/memory-storage.js";
export { VerbatimError } from "../../src/errors.js";
export { FilterSyntaxError } from "../../src/filter/syntax-error.js";
export { LEVELS } from "../../src/index/format/level.js";
export type { RepairReport } from "../../src/index/maintain/repair.js";
export type { LostDocument } from "../../src/index/maintain/repair-lost.js";
export type { ManifestOrigin } from "../../src/index/maintain/repair-manifest.js";
export type { CopyOptions, CopyReport } from "../../src/index/maintain/snapshot.js";
export type { SiteLevel } from "../../src/publish/site-manifest.js";
export { quotationsIn } from "../../src/quote/draft-quotations.js";
export { QUOTE_VERDICTS } from "../../src/quote/types.js";
export { READER_MODES } from "../../src/reader/types.js";
export { STRATEGY_NAMES } from "../../src/search/strategies/names.js";
export type { Language } from "../../src/text/language/language.js";
export { DOCUMENT_FORMATS, type DocumentFormat } from "./documents/formats.js";
export type { SkippedInput } from "./documents/input.js";
export type { IndexTotals } from "./index-info.js";
export type { InputCounts } from "./ingest/index-inputs.js";
export type {
  DocumentChange,
  IndexPathsOptions,
  IndexPathsProgress,
  IndexPathsSummary,
} from "./ingest/index-paths.js";
export type { LanguageCount } from "./ingest/language-counts.js";
export type { NotPruned } from "./ingest/prune.js";
export type { UpgradePathOptions, UpgradeSummary } from "./ingest/upgrade-path.js";
export { listDocuments, readDocument } from "./list-documents.js";
export type { CheckIndexOptions, RepairIndexOptions } from "./maintain-index.js";
export type { ModelChoice, ModelName, ModelOptions } from "./models/choice.js";
export { type OpenEncoderOptions, openEncoder } from "./models/encoder/encoder.js";
export type { FileFacts, ModelFile, VocabularyName } from "./models/encoder/model-folder.js";
export { type NodeReader, type OpenReaderOptions, openReader } from "./models/reader/reader.js";
export type { ReaderFile } from "./models/reader/reader-folder.js";
export {
  checkIndex,
  indexPaths,
  openWriter,
  publishSite,
  repairIndex,
  restoreIndex,
  snapshotIndex,
  upgradePath,
  watchPaths,
} from "./on-demand.js";
export { type OpenIndexOptions, openIndex } from "./open-index.js";
export type { OpenWriterOptions } from "./open-writer.js";
export type { PublishOptions, PublishReport } from "./publish/publish-site.js";
export { FileStorage, type FileStorageOptions } from "./storage/file-storage.js";
export type { WatchOptions } from "./watch/watch-paths.js";
