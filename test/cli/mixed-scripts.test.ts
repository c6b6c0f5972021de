/** Text that mixes scripts or is encoded unusually is found, and its answers keep their exact place. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openIndex, openWriter } from "../../adapters/node/index.js";
import { temporaryFolder, verbatim } from "./run-cli.js";

const decomposed = (text: string): string => text.normalize("NFD");

const LINES = [
  "会议室的 Wi-Fi 密码是 Kranich-2024，请勿外传。",
  "يفتح المتجر من الساعة 9:30 إلى 18:00 (باستثناء الجمعة).",
  decomposed("Le café de la forêt sert des crêpes à Orléans."),
  decomposed("화분은 매주 금요일에 물을 준다."),
  "ﾊﾞｽﾀｵﾙはﾌﾛﾝﾄで貸し出します。",
  "Die Familie 👨‍👩‍👧‍👦 fährt am 3. Mai nach Ｋöln. ❤️",
  "Die Wasch\u00admaschine steht im Keller.",
  "ราคาห้องพักคืนละ ๘๐๐ บาท รวมอาหารเช้า",
];

const QUESTIONS = [
  ["mixed scripts, asked in Chinese", "Wi-Fi 密码是什么？", 0],
  ["mixed scripts, asked for the Latin word", "kranich", 0],
  ["right to left with numbers", "متى يفتح المتجر؟", 1],
  ["right to left, with other digits", "٣٠ المتجر", 1],
  ["decomposed accents, asked with composed ones", "où sont les crêpes de la forêt ?", 2],
  ["decomposed accents, asked without accents", "crepes foret", 2],
  ["decomposed Hangul", "화분에 언제 물을 주나요?", 3],
  ["half-width kana, asked in full width", "バスタオルはどこですか", 4],
  ["half-width kana on both sides", "ﾊﾞｽﾀｵﾙ", 4],
  ["emoji with joiners and full-width letters", "wann fährt die familie nach köln", 5],
  ["a soft hyphen in the word", "wo steht die waschmaschine", 6],
  ["Thai", "ห้องพักราคาเท่าไร", 7],
] as const;

it.each(QUESTIONS)("%s", async (_, question, line) => {
  const cwd = await temporaryFolder();
  const text = LINES.join("\n\n");
  await writeFile(join(cwd, "mixed.txt"), text);
  expect((await verbatim(["index", "mixed.txt", "--level", "lexical", "--quiet"], { cwd })).status).toBe(0);
  const run = await verbatim(["ask", question, "--reader", "off", "--min-confidence", "0", "--json"], { cwd });
  expect(run.status, run.stderr).toBe(0);
  const [first] = (JSON.parse(run.stdout) as { answers: Record<string, number | string>[] }).answers;
  expect(first?.text, run.stdout).toBeTruthy();
  const { start, end, startByte, endByte, startCodePoint, endCodePoint } = first as Record<string, number>;
  const answer = first!.text as string;
  expect(LINES[line]).toContain(answer);
  expect(text.slice(start, end)).toBe(answer);
  expect(Buffer.from(text).subarray(startByte, endByte).toString("utf8")).toBe(answer);
  expect([...text].slice(startCodePoint, endCodePoint).join("")).toBe(answer);
});

it("keeps the exact place of every answer with the multilingual model, whatever the script", async () => {
  const path = await temporaryFolder();
  const text = LINES.join("\n\n");
  const writer = await openWriter({ path, model: "multi", threads: 1 });
  await writer.add({ id: "mixed", text });
  await writer.commit();
  await writer.close();
  const index = await openIndex({ path, threads: 1, reader: "none" });
  try {
    for (const [what, question] of QUESTIONS) {
      const { answers } = await index.ask(question, { topK: 5, minConfidence: 0 });
      expect(answers.length, what).toBeGreaterThan(0);
      for (const { text: answer, start, end } of answers) expect(text.slice(start, end), what).toBe(answer);
    }
  } finally {
    await index.close();
  }
});
