/** At level `lexical`, questions in other languages find their sentence by its words, without a model for them. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder, verbatim } from "./run-cli.js";

const DOCUMENTS = {
  "zh.txt": "天文台由李明于1911年创立。它在1920年向游客开放。关闭阀门后再拆下盖子。",
  "ja.txt": "天文台は李明によって設立された。お茶は四分間蒸らします。",
  "ko.txt": "서울은 대한민국의 수도이다. 천문대는 1911년에 설립되었다.",
  "de.txt": "Die Sternwarte hat Ines Müller gegründet. Die Kaution ist am ersten März fällig.",
  "fr.txt": "L’été dernier, l’écluse était fermée. La caution est due en février.",
  "ru.txt": "Обсерваторию основала Инна. Ёлку ставят в декабре.",
  "ar.txt": "الكِتَابُ على الطاولة. المرصد مغلق اليوم.",
};

it.each([
  // characters in pairs: the other Chinese sentences share only single characters with the question
  ["谁创立了天文台？", "天文台由李明于1911年创立。"],
  ["お茶は何分？", "お茶は四分間蒸らします。"],
  // the particle differs from the text's
  ["천문대가 언제 설립되었나?", "천문대는 1911년에 설립되었다."],
  // without accents, and with them decomposed
  ["wann ist die kaution fallig", "Die Kaution ist am ersten März fällig."],
  ["quelle e\u0301cluse e\u0301tait fermee", "L’été dernier, l’écluse était fermée."],
  ["когда ставят елку", "Ёлку ставят в декабре."],
  ["اين الكتاب", "الكِتَابُ على الطاولة."],
])("%s finds its sentence", async (question, sentence) => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "docs"));
  for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(join(cwd, "docs", name), text);
  expect((await verbatim(["index", "docs", "--level", "lexical", "--quiet"], { cwd })).status).toBe(0);
  const run = await verbatim(["ask", question, "--reader", "off", "--min-confidence", "0", "--json"], { cwd });
  expect(run.status, run.stderr).toBe(0);
  const { answers } = JSON.parse(run.stdout) as { answers: { text: string }[] };
  expect(answers[0]?.text).toBe(sentence);
});
