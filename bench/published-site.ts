/**
 * How long do the first sentence and the first exact answer of a published site take, and how much
 * is downloaded?
 *
 *     npm run bench -- published-site --site DIR --questions FILE [--count 20] [--delay 50] [--kind no-range]
 *
 * Uses Chromium and a counting host on this machine that answers after `delay` milliseconds. Cold:
 * each question with an empty cache, until the first sentence is shown: bytes (including page,
 * script, style and vocabulary), files, and round trips, which are the longest chain of requests
 * that each began after the previous one ended (on HTTP/1.1 this includes waiting for one of six
 * connections). Warm: with the phrase model loaded, from the key press to the first sentence, and
 * from there to the exact answer, by the page's own clock. FILE has a JSON object with a `question`
 * on each line.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { percentile } from "../src/evaluate/percentile.js";
import { type HostKind, StaticHost } from "../test/support/static-host.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    site: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "20" },
    delay: { type: "string", default: "50" },
    kind: { type: "string", default: "no-range" },
  },
});
if (values.site === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- published-site --site DIR --questions FILE [--count N] [--delay MS] [--kind K]",
  );
  process.exit(2);
}
const lines = readFileSync(values.questions, "utf8").trim().split("\n");
const questions = lines
  .slice(0, Number(values.count))
  .map((line) => (JSON.parse(line) as { question: string }).question);
const kind = values.kind as HostKind;
const site = resolve(values.site);
const { documents } = JSON.parse(readFileSync(join(site, "manifest.json"), "utf8")) as { documents: number };
const delay = Number(values.delay);

/** Records when the page first shows a list of each kind, by its own clock. */
const WATCH = `
  window.seen = {};
  window.before = new Set(); // lists of the previous question
  window.forget = () => { window.seen = {}; window.before = new Set(document.querySelectorAll("ol.answers")); };
  new MutationObserver(() => {
    for (const list of document.querySelectorAll("ol.answers"))
      if (!window.before.has(list)) window.seen[list.getAttribute("aria-label")] ??= performance.now();
  }).observe(document, { childList: true, subtree: true });`;

type Seen = Partial<Record<"Sentences" | "Answers", number>>;

async function coldPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(300_000);
  await page.addInitScript(WATCH);
  return page;
}

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args });
const cold = { bytes: [] as number[], files: [] as number[], roundTrips: [] as number[], milliseconds: [] as number[] };
for (const question of questions) {
  const host = await StaticHost.start(site, { kind, delay });
  const page = await coldPage(browser);
  await page.goto(`${host.url}?q=${encodeURIComponent(question)}`);
  await page.locator("ol.answers").first().waitFor(); // no waitForFunction: the page's policy forbids evaluating strings
  const seen = await page.evaluate<Seen>(`window.seen`);
  // Later requests do not belong to the sentence: the model's worker, the service worker, the icon.
  const began = await page.evaluate<Record<string, number>>(
    `Object.fromEntries(performance.getEntriesByType("resource").map(({ name, responseEnd }) => [new URL(name).pathname, responseEnd]))`,
  );
  const before = host.asked.filter(({ path }) => path === "/" || (began[path] ?? Infinity) <= seen.Sentences!);
  cold.bytes.push(before.reduce((sum, { bytes }) => sum + bytes, 0));
  cold.files.push(before.length);
  cold.roundTrips.push(StaticHost.roundTripsOf(before));
  cold.milliseconds.push(seen.Sentences!);
  await page.context().close();
  await host.stop();
}
const host = await StaticHost.start(site, { kind, delay: 0 });
const page = await coldPage(browser);
await page.goto(host.url);
const warm = { sentence: [] as number[], exactAfter: [] as number[], files: [] as number[] };
for (const [n, question] of [questions[0]!, ...questions].entries()) {
  const askedBefore = host.asked.length;
  await page.evaluate(`window.forget()`);
  await page.getByRole("searchbox").fill(question);
  await page.evaluate(
    `addEventListener("keydown", () => { window.begun = performance.now(); }, { once: true, capture: true })`,
  );
  await page.keyboard.press("Enter");
  await page.locator(".says", { hasText: / in \d+ ms/ }).waitFor();
  const begun = await page.evaluate<number>(`window.begun`);
  const { Sentences: sentence, Answers: exact } = await page.evaluate<Seen>(`window.seen`);
  if (n === 0 || sentence === undefined || exact === undefined) continue; // the first question loads the model; some questions have no answer
  warm.sentence.push(sentence - begun);
  warm.exactAfter.push(exact - sentence);
  warm.files.push(host.asked.length - askedBefore);
}
await browser.close();
await host.stop();
const sorted = (list: number[]): number[] => list.sort((a, b) => a - b);
await record("published-site", {
  documents,
  kind,
  delay,
  questions: questions.length,
  coldKilobytesP50: percentile(sorted(cold.bytes), 0.5) / 1000,
  coldKilobytesMost: Math.max(...cold.bytes) / 1000,
  coldFilesP50: percentile(sorted(cold.files), 0.5),
  coldRoundTripsMost: Math.max(...cold.roundTrips),
  coldMillisecondsP50: percentile(sorted(cold.milliseconds), 0.5),
  warmFilesP50: percentile(sorted(warm.files), 0.5),
  warmSentenceMsP50: percentile(sorted(warm.sentence), 0.5),
  warmExactAfterMsP50: percentile(sorted(warm.exactAfter), 0.5),
  warmExactAfterMsP90: percentile(sorted(warm.exactAfter), 0.9),
  warmExactAfterMsWorst: Math.max(...warm.exactAfter),
  answered: warm.exactAfter.length,
});
