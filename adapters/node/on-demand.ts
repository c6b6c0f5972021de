/**
 * The calls of `verbatim-qa/node` that write, check, publish and watch. Each loads its modules when
 * it is first called, because a program that only asks starts faster without them.
 */

import type * as indexing from "./ingest/index-paths.js";
import type * as upgrading from "./ingest/upgrade-path.js";
import type * as maintenance from "./maintain-index.js";
import type * as writing from "./open-writer.js";
import type * as publishing from "./publish/publish-site.js";
import type * as watching from "./watch/watch-paths.js";

export const indexPaths: typeof indexing.indexPaths = async (...given) =>
  (await import("./ingest/index-paths.js")).indexPaths(...given);

export const upgradePath: typeof upgrading.upgradePath = async (...given) =>
  (await import("./ingest/upgrade-path.js")).upgradePath(...given);

export const openWriter: typeof writing.openWriter = async (...given) =>
  (await import("./open-writer.js")).openWriter(...given);

export const checkIndex: typeof maintenance.checkIndex = async (...given) =>
  (await import("./maintain-index.js")).checkIndex(...given);

export const repairIndex: typeof maintenance.repairIndex = async (...given) =>
  (await import("./maintain-index.js")).repairIndex(...given);

export const snapshotIndex: typeof maintenance.snapshotIndex = async (...given) =>
  (await import("./maintain-index.js")).snapshotIndex(...given);

export const restoreIndex: typeof maintenance.restoreIndex = async (...given) =>
  (await import("./maintain-index.js")).restoreIndex(...given);

export const publishSite: typeof publishing.publishSite = async (...given) =>
  (await import("./publish/publish-site.js")).publishSite(...given);

export const watchPaths: typeof watching.watchPaths = async (...given) =>
  (await import("./watch/watch-paths.js")).watchPaths(...given);
