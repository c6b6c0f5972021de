/** Validates a manifest's JSON field by field, so that the result needs no further checks. */

import type { FileEntry } from "../format/container-writer.js";
import { isLevel } from "../format/level.js";
import type { Manifest, ManifestModel, ManifestSegment } from "./manifest.js";

/** What term weights are stored for: the only value in this format version. */
export const TERM_UNIT = "passage";

type Fields = Record<string, unknown>;
type Fail = (what: string) => Error;

/** @param fail  makes the error to throw. Unknown fields are ignored */
export function parseManifestBody(json: unknown, fail: Fail): Manifest {
  const check = new Checker(fail);
  const body = check.object(json, "it");
  if (body.format !== "verbatim-index") throw fail("it is not the manifest of an index");
  if (!isLevel(body.level)) throw fail("its level is unknown");
  if (body.termUnit !== TERM_UNIT) throw fail("its term unit is unknown");
  const totals = check.object(body.totals, "totals");
  const segments = check.list(body.segments, "segments").map((item) => parseSegment(item, check));
  const manifest: Manifest = {
    formatVersion: check.whole(body, "formatVersion"),
    minimumReaderVersion: check.whole(body, "minimumReaderVersion"),
    version: check.whole(body, "version"),
    nextSegment: check.whole(body, "nextSegment"),
    level: body.level,
    ...(body.thinTerms === undefined ? {} : { thinTerms: check.whole(body, "thinTerms") }),
    model: parseModel(body.model, check),
    totals: {
      documents: check.whole(totals, "documents"),
      passages: check.whole(totals, "passages"),
      bytes: check.whole(totals, "bytes"),
    },
    segments,
  };
  if (new Set(segments.map((segment) => segment.name)).size !== segments.length) throw fail("it has a segment twice");
  return manifest;
}

function parseModel(json: unknown, check: Checker): ManifestModel {
  const model = check.object(json, "model");
  return {
    name: check.text(model, "name", /./s),
    passageModelHash: check.text(model, "passageModelHash", /^[0-9a-f]{64}$/),
    vocabularySize: check.whole(model, "vocabularySize"),
    dense: check.whole(model, "dense"),
    coherency: check.whole(model, "coherency"),
    vector: check.whole(model, "vector"),
  };
}

function parseSegment(json: unknown, check: Checker): ManifestSegment {
  const segment = check.object(json, "a segment");
  const name = check.text(segment, "name", /^s[0-9]{6,15}$/);
  const files = check.list(segment.files, "files").map((item): FileEntry => {
    const file = check.object(item, "a file");
    return {
      name: check.text(file, "name", /^s[0-9]{6,15}\.[a-z]+(-[1-9][0-9]*)?$/),
      bytes: check.whole(file, "bytes"),
      id: check.text(file, "id", /^[0-9a-f]{32}$/),
    };
  });
  const { level } = segment;
  if (level !== undefined && !isLevel(level)) throw check.fail(`the level of ${name} is unknown`);
  const passages = check.whole(segment, "passages");
  if (segment.units !== passages) throw check.fail(`${name} does not have one unit per passage`);
  if (files.some((file) => !file.name.startsWith(`${name}.`))) throw check.fail(`${name} has files of another segment`);
  return {
    name,
    documents: check.whole(segment, "documents"),
    passages,
    startRows: check.whole(segment, "startRows"),
    endRows: check.whole(segment, "endRows"),
    tokens: check.whole(segment, "tokens"),
    deletedDocuments: check.whole(segment, "deletedDocuments"),
    deletedPassages: check.whole(segment, "deletedPassages"),
    ...(level === undefined ? {} : { level }),
    files,
  };
}

class Checker {
  readonly fail: Fail;

  constructor(fail: Fail) {
    this.fail = fail;
  }

  object(value: unknown, name: string): Fields {
    if (value === null || typeof value !== "object" || Array.isArray(value))
      throw this.fail(`${name} is not an object`);
    return value as Fields;
  }

  list(value: unknown, name: string): unknown[] {
    if (!Array.isArray(value)) throw this.fail(`"${name}" is not a list`);
    return value;
  }

  whole(fields: Fields, name: string): number {
    const value = fields[name];
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
      throw this.fail(`"${name}" is not a count`);
    return value;
  }

  text(fields: Fields, name: string, pattern: RegExp): string {
    const value = fields[name];
    if (typeof value !== "string" || !pattern.test(value)) throw this.fail(`"${name}" is invalid`);
    return value;
  }
}
