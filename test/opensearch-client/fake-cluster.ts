/**
 * A cluster in memory, as far as loading an index without vectors and asking it needs: entries, bulk
 * requests, and the queries that Verbatim sends, with features stored as coarsely as Lucene does.
 * Searches find what was there at the last refresh, and queries with too many clauses are refused.
 * `requests` counts what is sent; test/opensearch asks real nodes the same questions.
 */

import { type Stub, type StubAnswer, type StubRequest, startStub } from "./stub.js";

type Source = Record<string, unknown>;
interface Entry {
  id: string;
  source: Source;
}
// biome-ignore lint/suspicious/noExplicitAny: the query language of the cluster
type Query = Record<string, any>;

interface SearchBody {
  size?: number;
  query?: Query;
  min_score?: number;
  _source?: boolean | string[];
  docvalue_fields?: string[];
  aggs?: Record<string, { max?: { field: string }; terms?: { field: string } }>;
}

export interface FakeCluster {
  address: string;
  stub: Stub;
  /** Names of the existing indexes. */
  indexes(): string[];
  /** Searches, also those of one `_msearch`. */
  searches: SearchBody[];
  close(): Promise<void>;
}

interface FakeClusterOptions {
  /** Answers requests for the cluster's health. Default: there is one node. */
  health?: StubAnswer;
}

export async function startFakeCluster(name: string, options: FakeClusterOptions = {}): Promise<FakeCluster> {
  const { health = () => ({ status: 200, body: { number_of_data_nodes: 1 } }) } = options;
  const indexes = new Map<string, FakeIndex>();
  const aliases = new Map<string, string>();
  const templates: Query[] = [];
  const searches: SearchBody[] = [];
  const stub = await startStub((request) => {
    const [first = "", ...rest] = request.path.slice(1).split("/");
    const index = indexes.get(aliases.get(first) ?? first);
    if (first === "_index_template") templates.push(JSON.parse(request.body));
    else if (first === "_aliases") {
      for (const { add, remove } of JSON.parse(request.body).actions as Query[]) {
        if (remove) aliases.delete(remove.alias);
        if (add) aliases.set(add.alias, add.index);
      }
    } else if (first === "_cluster") return health(request);
    else if (rest.length === 0 && request.method === "PUT") {
      if (index !== undefined) return { status: 400, body: { error: { type: "resource_already_exists_exception" } } };
      const { mappings, aliases: added = {} } = JSON.parse(request.body);
      indexes.set(first, new FakeIndex(first, mappings._meta, templates.at(-1)!.template.mappings._source.excludes));
      for (const alias of Object.keys(added)) aliases.set(alias, first);
    } else if (index === undefined) return { status: 404, body: { error: { type: "index_not_found_exception" } } };
    else if (rest.length === 0 && request.method === "DELETE") indexes.delete(first);
    else return answerOf(index, { path: rest.join("/"), request, searches });
    return { status: 200, body: {} };
  });
  return {
    address: `opensearch://127.0.0.1:${stub.port}/${name}`,
    ...{ stub, searches },
    indexes: () => [...indexes.keys()],
    close: () => stub.close(),
  };
}

/** `indices.query.bool.max_clause_count` */
const MAX_CLAUSES = 1024;

function answerOf(
  index: FakeIndex,
  { path, request, searches }: { path: string; request: StubRequest; searches: SearchBody[] },
): ReturnType<StubAnswer> {
  try {
    return { status: 200, body: index.answer(path, request, searches) };
  } catch (error) {
    return { status: 400, body: { error: { reason: String(error) } } };
  }
}

const FEATURE_FIELDS = ["t", "a", "g", "w", "c"];
const WHOLE = { timed_out: false, _shards: { failed: 0, total: 1 } };

class FakeIndex {
  readonly #name: string;
  readonly #meta: unknown;
  readonly #notInSource: ReadonlySet<string>;
  readonly #entries = new Map<string, Entry>();
  /** The entries at the last refresh. */
  #visible = new Map<string, Entry>();
  /** Features of the visible entries, by field, then by id of the entry. */
  #features = new Map<string, Map<string, number>>();
  /** Leaves of the query that is answered. */
  #clauses = 0;

  constructor(name: string, meta: unknown, notInSource: readonly string[]) {
    this.#name = name;
    this.#meta = meta;
    this.#notInSource = new Set(notInSource);
  }

  answer(path: string, { body }: StubRequest, searches: SearchBody[]): unknown {
    const search = (found: SearchBody): unknown => {
      searches.push(found);
      return this.#search(found);
    };
    if (path === "_mapping") return { [this.#name]: { mappings: { _meta: this.#meta } } };
    if (path === "_bulk") return this.#bulk(linesOf(body));
    if (path === "_mget") {
      const { ids } = JSON.parse(body) as { ids: string[] };
      return { docs: ids.map((_id) => this.#get(_id)) };
    }
    if (path === "_search") return search(JSON.parse(body));
    if (path === "_msearch") {
      const bodies = linesOf(body).filter((_, n) => n % 2 === 1);
      return { responses: bodies.map((one) => search(one as SearchBody)) };
    }
    if (path === "_refresh") return this.#refresh();
    if (path === "_stats/store") return { _all: { primaries: { store: { size_in_bytes: 1 } } } };
    if (path === "_doc/state") return this.#get("state");
    if (path === "_update/state") return { get: { _source: this.#updateState(JSON.parse(body)) } };
    throw new Error(`the fake cluster does not answer ${path}`);
  }

  /** The only script raises the version and removes the record. */
  #updateState({ upsert, doc }: { upsert: Source; doc?: Source }): Source {
    const before = this.#entries.get("state")?.source;
    const { record: _, ...rest } = before ?? {};
    const version = Number(before?.version) + 1;
    const source = before === undefined ? upsert : doc === undefined ? { ...rest, version } : { ...before, ...doc };
    this.#entries.set("state", { id: "state", source });
    return source;
  }

  #get(_id: string): object {
    const entry = this.#entries.get(_id);
    return entry === undefined ? { _id, found: false } : { _id, found: true, _source: this.#stored(entry) };
  }

  #stored({ source }: Entry, wanted: boolean | string[] = true): Source {
    // the norm is the only part of a field that is asked for
    if (Array.isArray(wanted)) return { hash: source.hash, record: { norm: (source.record as { norm: number }).norm } };
    return Object.fromEntries(Object.entries(source).filter(([name]) => !this.#notInSource.has(name)));
  }

  #bulk(lines: readonly Query[]): object {
    for (let n = 0; n < lines.length; n++) {
      const { index, delete: removed } = lines[n]!;
      if (removed !== undefined) this.#entries.delete(removed._id);
      else this.#entries.set(index._id, { id: index._id, source: lines[++n]! });
    }
    return { errors: false, items: [] };
  }

  #refresh(): object {
    this.#visible = new Map(this.#entries);
    this.#features = new Map();
    for (const entry of this.#visible.values()) {
      for (const field of FEATURE_FIELDS) {
        for (const [name, value] of Object.entries((entry.source[field] ?? {}) as Record<string, number>)) {
          const key = `${field}.${name}`;
          const entries = this.#features.get(key) ?? new Map<string, number>();
          this.#features.set(key, entries.set(entry.id, storedFeature(value)));
        }
      }
    }
    return {};
  }

  #search({ size = 10, query = { match_all: {} }, min_score = 0, ...body }: SearchBody): object {
    this.#clauses = 0;
    const names = new Map<Entry, Record<string, number>>();
    const found = [...this.#scores(query, names)].filter(([, score]) => score >= min_score);
    const fieldsOf = ({ source }: Entry) =>
      body.docvalue_fields && {
        fields: Object.fromEntries(body.docvalue_fields.map((name) => [name, [source[name]]])),
      };
    const hits = found
      .sort((a, b) => b[1] - a[1])
      .slice(0, size)
      .map(([entry, _score]) => ({
        ...{ _id: entry.id, _score, ...fieldsOf(entry) },
        ...(body._source === false ? {} : { _source: this.#stored(entry, body._source) }),
        ...(names.has(entry) ? { matched_queries: names.get(entry) } : {}),
      }));
    const aggregations = Object.entries(body.aggs ?? {}).map(([name, { max, terms }]) => {
      const values = found.flatMap(([{ source }]) => source[(max ?? terms)!.field] ?? []);
      if (max !== undefined) return [name, { value: values.length === 0 ? null : Math.max(...(values as number[])) }];
      const keys = [...new Set(values)];
      return [name, { buckets: keys.map((key) => ({ key, doc_count: values.filter((one) => one === key).length })) }];
    });
    const total = { value: found.length };
    return { ...WHOLE, hits: { total, hits }, aggregations: Object.fromEntries(aggregations) };
  }

  /** The entries that match, with their scores, float32 as in a cluster. */
  #scores(query: Query, names: Map<Entry, Record<string, number>>): Map<Entry, number> {
    const [kind, body] = Object.entries(query)[0] as [string, Query];
    if (kind !== "bool" && kind !== "constant_score" && ++this.#clauses > MAX_CLAUSES) {
      throw new Error(`maxClauseCount is set to ${MAX_CLAUSES}`);
    }
    const all = (score: number, entries: Iterable<Entry>) => new Map([...entries].map((entry) => [entry, score]));
    switch (kind) {
      case "match_all":
        return all(1, this.#visible.values());
      case "ids":
        return all(
          1,
          body.values.flatMap((id: string) => this.#visible.get(id) ?? []),
        );
      case "term": {
        const [field, value] = Object.entries(body)[0]!;
        return all(
          1,
          [...this.#visible.values()].filter(({ source }) => [source[field]].flat().includes(value)),
        );
      }
      case "constant_score":
        return all(Math.fround(body.boost ?? 1), this.#scores(body.filter, names).keys());
      case "rank_feature": {
        const scores = new Map<Entry, number>();
        for (const [id, value] of this.#features.get(body.field) ?? []) {
          const entry = this.#visible.get(id)!;
          const score = Math.fround(Math.fround(body.boost ?? 1) * value);
          scores.set(entry, score);
          if (body._name !== undefined) names.set(entry, { ...names.get(entry), [body._name]: score });
        }
        return scores;
      }
      case "bool":
        return this.#scoresOfBool(body, names);
      default:
        throw new Error(`the fake cluster has no query ${kind}`);
    }
  }

  #scoresOfBool(body: Query, names: Map<Entry, Record<string, number>>): Map<Entry, number> {
    const scores = (queries: Query[] = []) => queries.map((one) => this.#scores(one, names));
    const [should, must, filter, not] = [body.should, body.must, body.filter, body.must_not].map(scores);
    const needed = [...must!, ...filter!];
    const least = body.minimum_should_match ?? (needed.length > 0 || should!.length === 0 ? 0 : 1);
    const possible =
      needed[0]?.keys() ?? (least > 0 ? should!.flatMap((one) => [...one.keys()]) : this.#visible.values());
    const found = new Map<Entry, number>();
    for (const entry of new Set(possible)) {
      const matched = should!.flatMap((one) => one.get(entry) ?? []);
      if (matched.length < least || needed.some((one) => !one.has(entry)) || not!.some((one) => one.has(entry)))
        continue;
      found.set(entry, Math.fround([...must!.map((one) => one.get(entry)!), ...matched].reduce((a, b) => a + b, 0)));
    }
    return found;
  }
}

const linesOf = (body: string): Query[] =>
  body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const bits = new DataView(new ArrayBuffer(4));

/** A feature as Lucene keeps it: a float32 with 8 bits of fraction, cut off. */
function storedFeature(value: number): number {
  bits.setFloat32(0, value);
  bits.setUint32(0, bits.getUint32(0) & ~0x7fff);
  return bits.getFloat32(0);
}
