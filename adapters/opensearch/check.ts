/**
 * Checks an index in a cluster: counts against the records, and a sample of passages byte by byte.
 * Needs no model.
 */

import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { passageGrams } from "../../src/index/cluster/passage-blob.js";
import type { CheckOptions, CheckReport } from "../../src/index/maintain/check.js";
import { IndexProblem } from "../../src/index/maintain/check-problem.js";
import { readState } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
import type { Hit } from "./connection/connection.js";
import { keyOfPassage } from "./document-entries.js";
import { passageOf, Records } from "./record-cache.js";

/** Number of passages checked byte by byte. */
const SAMPLE = 500;
const PAGE = 50;

/** @throws VerbatimError `index-missing`, `io-error` */
export async function checkCluster(connected: ConnectedIndex, options: CheckOptions = {}): Promise<CheckReport> {
  const { connection, index } = connected;
  const { signal } = options;
  const state = await readState(connection, index, signal);
  const { version, documents, passages, bytes } = state;
  const problems: IndexProblem[] = [];
  const wrong = (where: string, what: string): void => void problems.push(new IndexProblem(where, what));
  const sums = await connection.search(
    `/${index}/_search`,
    {
      size: 0,
      query: { term: { kind: "document" } },
      aggs: { passages: { sum: { field: "passages" } }, pieces: { sum: { field: "pieces" } } },
    },
    { signal },
  );
  const [alone, pieces] = await connection.searches(
    `/${index}`,
    [
      {
        size: 0,
        track_total_hits: true,
        query: { bool: { filter: [{ term: { kind: "document" } }, { term: { passages: 1 } }] } },
      },
      { size: 0, track_total_hits: true, query: { term: { kind: "piece" } } },
    ],
    { signal },
  );
  const counted = (what: string, found: number, expected: number): void => {
    if (found !== expected) wrong(index, `${what}: ${found} entries, but the records say ${expected}`);
  };
  counted("passages", passages, sums.aggregations!.passages!.value ?? 0);
  counted("pieces of text", pieces!.hits.total!.value, sums.aggregations!.pieces!.value ?? 0);
  counted("only passages of their documents", state.alone, alone!.hits.total!.value);
  await checkSample(connected, { wrong, options, count: Math.min(SAMPLE, passages) });
  return { ok: problems.length === 0, problems, version, files: 0, bytes, documents, passages };
}

/**
 * Checks randomly drawn passages: every byte they are scored from, and that it matches their text.
 */
async function checkSample(
  connected: ConnectedIndex,
  rest: { wrong: (where: string, what: string) => void; options: CheckOptions; count: number },
): Promise<void> {
  const { connection, index } = connected;
  const { wrong, options, count } = rest;
  const { signal, onProgress } = options;
  const records = new Records(connection, index, signal);
  const random = { function_score: { query: { terms: { kind: ["alone", "passage"] } }, random_score: {} } };
  const drawn = await connection.search(
    `/${index}/_search`,
    { size: count, query: random, _source: false },
    { signal },
  );
  const ids = drawn.hits.hits.map(({ _id }) => _id);
  for (let from = 0; from < ids.length; from += PAGE) {
    throwIfAborted(signal);
    const values = ids.slice(from, from + PAGE);
    const body = { size: PAGE, query: { ids: { values } }, _source: false, docvalue_fields: ["blob"] };
    const { hits } = await connection.search(`/${index}/_search`, body, { signal });
    await Promise.all(hits.hits.map((hit) => checkPassage(connected, hit, { records, wrong })));
    onProgress?.(Math.min(ids.length, from + PAGE), ids.length);
  }
}

async function checkPassage(
  connected: ConnectedIndex,
  hit: Hit,
  { records, wrong }: { records: Records; wrong: (where: string, what: string) => void },
): Promise<void> {
  try {
    const { start, end, grams, number, order } = passageOf(hit, connected.meta.model);
    const found = await records.record(keyOfPassage(hit._id));
    if (number >= found.passages || order !== found.order) wrong(hit._id, "it does not match its document's record");
    const expected = passageGrams(await records.text(found, { from: start, to: end }));
    const same = grams.norm === expected.norm && String(grams.buckets) === String(expected.buckets);
    if (!same) wrong(hit._id, "its n-grams do not match its text");
  } catch (error) {
    if (!(error instanceof VerbatimError) || error.code !== "corrupt-segment") throw error;
    wrong(hit._id, error.message);
  }
}
