/**
 * What the question's head can be trained with while an index stays as it is: the best answers to
 * each question, with the stored rows that made their dense part, and whether an answer is right
 * (exact match with a gold answer). training/question_side.py reads it.
 *
 *     npx tsx scripts/question-candidates.ts QUESTIONS --index DIR --out DIR [--model DIR] [--count 60] [--limit N]
 *
 * Writes questions.jsonl ({id, ids, from, to}: word pieces, and its candidates' numbers) and, row
 * by row for all candidates, starts.i8 and ends.i8 [dense], pairs.i16 [coherency] (c1_i · c2_j),
 * rest.f32 (score without the dense part), dense.f32, right.u8. Questions without a right answer
 * among theirs are left out, as nothing can be learned from them, unless `--all`.
 */

import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openSession } from "../adapters/node/open-session.js";
import { exactMatch } from "../src/evaluate/exact-match.js";
import { drawQuestions, parseOpenQuestions } from "../src/evaluate/open-questions.js";
import type { StoredPassage } from "../src/index/types.js";
import { findSpans } from "../src/search/search.js";
import { mergeBest } from "../src/search/locate/merge.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: "string" },
    out: { type: "string" },
    model: { type: "string" },
    count: { type: "string", default: "60" },
    limit: { type: "string", default: "1000000" },
    all: { type: "boolean", default: false },
  },
});
const [path] = positionals;
if (path === undefined || values.index === undefined || values.out === undefined) {
  console.error("usage: question-candidates QUESTIONS --index DIR --out DIR [--model DIR] [--count N] [--limit N] [--all]");
  process.exit(2);
}

const given = parseOpenQuestions(await readFile(path, "utf8"), path);
const questions = drawQuestions(given, Number(values.limit), 1);
const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });
const { session, close } = await openSession(values.index, encoder);
const out = values.out;
await mkdir(out, { recursive: true });
const file = (name: string) => createWriteStream(join(out, name));
const files = {
  questions: file("questions.jsonl"),
  starts: file("starts.i8"),
  ends: file("ends.i8"),
  pairs: file("pairs.i16"),
  rest: file("rest.f32"),
  dense: file("dense.f32"),
  right: file("right.u8"),
};
const bytes = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const { dense, coherency } = encoder.info;
let at = 0;
let kept = 0;
for (const [n, { id, question, answers: golds }] of questions.entries()) {
  if (n % 200 === 0) console.error(`${n} of ${questions.length} questions, ${kept} kept`);
  const encoded = await encoder.encodeQuestion(question);
  const { spans } = await findSpans(session, encoded, { topK: Number(values.count) });
  const merged = (await mergeBest(session, spans, { topK: Number(values.count) })).slice(0, Number(values.count));
  const right = Uint8Array.from(merged, ({ best }) => exactMatch(best.text, golds));
  if (!values.all && !right.includes(1)) continue;
  const stored = new Map<string, StoredPassage>();
  for (const { best } of merged) {
    const { span } = best;
    const name = `${span.segment} ${span.passage}`;
    const passage = stored.get(name) ?? (await session.segment(span.segment).readPassages([span.passage]))[0];
    stored.set(name, passage!);
    const i = passage!.startPositions.indexOf(span.startPosition);
    const j = passage!.endPositions.indexOf(span.endPosition);
    files.starts.write(bytes(passage!.startVectors.slice(i * dense, (i + 1) * dense)));
    files.ends.write(bytes(passage!.endVectors.slice(j * dense, (j + 1) * dense)));
    const c1 = passage!.startCoherency.subarray(i * coherency, (i + 1) * coherency);
    const c2 = passage!.endCoherency.subarray(j * coherency, (j + 1) * coherency);
    files.pairs.write(bytes(Int16Array.from(c1, (value, d) => value * c2[d]!)));
    files.rest.write(bytes(Float32Array.of(span.score - span.parts.dense)));
    files.dense.write(bytes(Float32Array.of(span.parts.dense)));
  }
  files.right.write(bytes(right));
  files.questions.write(`${JSON.stringify({ id, ids: [...encoded.ids], from: at, to: at + merged.length })}\n`);
  at += merged.length;
  kept++;
}
for (const stream of Object.values(files)) {
  stream.end();
  await finished(stream);
}
await close();
await encoder.close();
console.log(JSON.stringify({ questions: kept, asked: questions.length, candidates: at }));
