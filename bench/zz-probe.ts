import { readFile } from "node:fs/promises";
import { openEncoder } from "/work/h5b/adapters/node/encoder/encoder.js";
import { openSession } from "/work/h5b/adapters/node/open-session.js";
import { drawQuestions, parseOpenQuestions } from "/work/h5b/src/evaluate/open-questions.js";
import { prepareQuestion } from "/work/h5b/src/search/prepare.js";
import { findSpans } from "/work/h5b/src/search/search.js";
import { scoreSparse } from "/work/h5b/src/search/sparse.js";
const [ix, file, count] = process.argv.slice(2);
const encoder = await openEncoder({ threads: 1 });
const { session } = await openSession(ix!, encoder);
const qs = drawQuestions(parseOpenQuestions(await readFile(file!, "utf8"), file!), Number(count), 1);
const rows: number[][] = [];
for (const { question } of qs) {
  const e = await encoder.encodeQuestion(question);
  const found = await findSpans(session, e, { strategy: "exhaustive" });
  const p = found.prepared;
  const norm = (v: Int16Array, s: number) => Math.sqrt(v.reduce((a, x) => a + x * x, 0)) * s;
  const sparse = await scoreSparse(session, e);
  const S = Array.from(sparse.terms, (t, i) => t + sparse.tfidf[i]!).sort((a, b) => b - a);
  const top = found.spans.slice(0, 20);
  const t20 = top.at(-1)!.score;
  const b = top[0]!;
  let maxD = -1e9, maxN = -1e9, maxDN=-1e9;
  for (const s of found.spans) { maxD = Math.max(maxD, s.parts.dense); maxN = Math.max(maxN, s.parts.ngram); maxDN=Math.max(maxDN,s.parts.dense+s.parts.ngram); }
  rows.push([b.score, t20, b.parts.dense, b.parts.ngram, b.parts.terms, b.parts.tfidf, maxD, maxN, maxDN, S[0]!, S[20]!, S[100]!, S[500]!, S.filter((x) => x >= t20 - maxDN).length, S.filter((x) => x >= t20 - 1.5*maxDN).length,S.filter((x) => x >= t20 - 2*maxDN).length, norm(p.start.values, p.start.perStep), norm(p.end.values, p.end.perStep), norm(p.coherency.values, p.coherency.perStep), found.steps.read, found.steps.score]);
}
const names = "best t20 d n terms tfidf maxD maxN maxDN S0 S20 S100 S500 cnt1 cnt1.5 cnt2 qs qe qc readMs scoreMs".split(" ");
for (const r of rows.slice(0, 12)) console.log(r.map((x, i) => `${names[i]}=${x.toFixed(1)}`).join(" "));
for (const [i,n] of names.entries()) { const v = rows.map(r=>r[i]!).sort((a,b)=>a-b); console.log(n, v[0]!.toFixed(2), v[v.length>>1]!.toFixed(2), v.at(-1)!.toFixed(2)); }
await encoder.close(); process.exit(0);
