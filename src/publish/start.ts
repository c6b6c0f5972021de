/**
 * The start file, which the first question needs in addition to postings: the vocabulary and the
 * tables of shards.
 */

import { ByteReader, ByteWriter, toUtf8 } from "../index/format/bytes.js";
import { corrupt } from "../index/format/corrupt.js";
import { fromHex, toHex } from "../index/format/hex.js";
import { NAME_BYTES, type ShardTable } from "./blob.js";
import { packVocabulary, unpackVocabulary } from "./vocabulary.js";

interface StartHead {
  /** Documents and passages that are not deleted. */
  documents: number;
  passages: number;
  /** Length limit of a question in tokens, including the two special ones. */
  maxQuestionTokens: number;
  /** λ_t, and the number of stored steps per unit of impact. */
  termsWeight: number;
  termScale: number;
}

export interface Start {
  head: StartHead;
  /** In ascending order; the position of a token is its rank. */
  vocabulary: string[];
  /** Term shards by rank. */
  terms: ShardTable;
  /** Text shards by passage. */
  texts: ShardTable;
}

export function encodeStart({ head, vocabulary, terms, texts }: Start): Uint8Array {
  const out = new ByteWriter(1 << 17);
  const json = toUtf8(JSON.stringify(head));
  out.varint(json.length);
  out.raw(json);
  out.raw(packVocabulary(vocabulary));
  for (const { firsts, names } of [terms, texts]) {
    out.varint(names.length);
    let before = 0;
    for (const first of firsts) {
      out.varint(first - before);
      before = first;
    }
    for (const name of names) out.raw(fromHex(name));
  }
  return out.bytes().slice();
}

/** @throws VerbatimError `corrupt-segment` */
export function decodeStart(bytes: Uint8Array, where: string): Start {
  const reader = new ByteReader(bytes, where);
  const head = parseHead(reader.utf8(reader.varint()), where);
  const vocabulary = unpackVocabulary(reader);
  const table = (): ShardTable => {
    const count = reader.varint();
    if (count * NAME_BYTES > reader.left) throw reader.damaged(`${count} shards`);
    let number = 0;
    const firsts = Array.from({ length: count }, () => {
      number += reader.varint();
      return number;
    });
    return { firsts, names: Array.from({ length: count }, () => toHex(reader.raw(NAME_BYTES))) };
  };
  const terms = table();
  const texts = table();
  if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
  return { head, vocabulary, terms, texts };
}

function parseHead(json: string, where: string): StartHead {
  let head: Partial<StartHead> | null;
  try {
    head = JSON.parse(json);
  } catch {
    throw corrupt(where, "its head is not JSON");
  }
  const { documents, passages, maxQuestionTokens, termsWeight, termScale } = head ?? {};
  const whole = [documents, passages, maxQuestionTokens].every((n) => Number.isSafeInteger(n) && n! >= 0);
  if (!whole || !Number.isFinite(termsWeight) || !(termScale! > 0)) throw corrupt(where, "its head lacks a number");
  return head as StartHead;
}
