/**
 * Asking over the API with a reader and with confidence: what is read, what is declined, and what
 * comes as events.
 */

import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../adapters/server/http/limits.js";
import { createSchemas, type ResultView } from "../../adapters/server/http/schemas.js";
import type { Calibration } from "../../src/encode/types.js";
import { FakeReader } from "../ask/fake-reader.js";
import { problemOf, type Served, type ServedOptions, served } from "./served.js";

const schemas = createSchemas(DEFAULT_LIMITS);
const QUESTION = "who founded the observatory?";
const never: Calibration = { intercept: -20, features: {}, threshold: 0.5, about: {} };
const always: Calibration = { intercept: 20, features: {}, threshold: 0.5, about: {} };

async function asked(it: Served, more: object = {}): Promise<ResultView> {
  const response = await it.send("POST", "/v1/ask", { json: { question: QUESTION, ...more } });
  expect(response.status).toBe(200);
  return schemas.Result.parse(await response.json());
}

async function events(it: Served, more: object = {}): Promise<{ name: string; data: ResultView }[]> {
  const headers = { Accept: "text/event-stream" };
  const response = await it.send("POST", "/v1/ask", { json: { question: QUESTION, ...more }, headers });
  return [...(await response.text()).matchAll(/event: (\w+)\ndata: (.+)\n\n/g)].map(([, name, data]) => ({
    name: name!,
    data: JSON.parse(data!) as ResultView,
  }));
}

const withReader = (options: ServedOptions = {}): Promise<Served> =>
  served({
    reader: new FakeReader({ lanes: 1, info: { interpolation: { reader: 1, answer: 0, most: 100 } } }),
    ...options,
  });

describe("with a reader", () => {
  it("reads when asked to, and only then while nothing is calibrated", async () => {
    const it = await withReader();
    expect((await asked(it)).reading).toBeUndefined();
    const read = await asked(it, { reader: "on", explain: true });
    expect(read.reading!.passages).toBeGreaterThan(0);
    for (const { parts, score } of read.answers) {
      const sum = Object.values(parts!).reduce((all, part) => all + part, 0);
      expect(sum).toBeCloseTo(score, 6);
      expect(parts).toHaveProperty("reader");
    }
  });

  it("sends each answer so far as it reads, and ends with what asking without a stream returns", async () => {
    const it = await withReader();
    const sent = await events(it, { reader: "on", topK: 100 });
    expect(sent.map(({ name }) => name).slice(0, 2)).toEqual(["answers", "answers"]);
    expect(sent.at(-1)!.name).toBe("final");
    expect(sent[0]!.data.reading).toBeUndefined();
    const passages = sent.map(({ data }) => data.reading?.passages ?? 0);
    expect(passages).toEqual([...passages].sort((a, b) => a - b));
    expect(new Set(passages).size).toBeGreaterThan(2);
    const whole = await asked(it, { reader: "on", topK: 100 });
    expect(sent.at(-1)!.data.answers).toEqual(whole.answers);
  });

  it("uses the reader mode of the question, or else the server's", async () => {
    const it = await withReader({ parts: { defaults: { reader: "on", minConfidence: 0 } } });
    expect((await asked(it)).reading).toBeDefined();
    expect((await asked(it, { reader: "off" })).reading).toBeUndefined();
    expect((await asked(it, { strategy: "sparta-reader" })).strategy).toBe("sparta-reader");
  });

  it("says what is missing where there is none", async () => {
    const { send } = await served();
    for (const more of [{ reader: "on" }, { reader: "auto" }, { strategy: "sparta-reader" }, { minConfidence: 0.5 }]) {
      const problem = await problemOf(await send("POST", "/v1/ask", { json: { question: QUESTION, ...more } }));
      expect(problem).toMatchObject({ status: 400, code: "invalid-argument", hint: expect.any(String) });
    }
  });
});

describe("an answer that is not sure enough", () => {
  it("is replaced by the closest passages, complete and under public names", async () => {
    const it = await served({ model: { calibration: never } });
    const result = await asked(it);
    expect(result.answers).toEqual([]);
    expect(result.noAnswer).toMatchObject({ minConfidence: 0.5 });
    expect(result.nearestPassages!.length).toBeGreaterThan(0);
    expect(result.nearestPassages![0]!.text).toContain("The observatory was founded by Ines Calder in 1911.");
    expect(JSON.stringify(result)).not.toContain("/secret/");
  });

  it("is returned when the question sets no minimum, and so is one that is sure enough", async () => {
    const unsure = await served({ model: { calibration: never } });
    const [first] = (await asked(unsure, { minConfidence: 0 })).answers;
    expect(first!.confidence).toBeLessThan(0.01);
    const sure = await served({ model: { calibration: always } });
    expect((await asked(sure, { minConfidence: 0.9 })).answers[0]!.confidence).toBeGreaterThan(0.9);
    const strict = await served({ model: { calibration: never }, parts: { defaults: { minConfidence: 0 } } });
    expect((await asked(strict)).answers.length).toBeGreaterThan(0);
  });

  it("is only sent as the last event: no uncertain answer comes before it", async () => {
    const it = await served({ model: { calibration: never } });
    const some = { topK: 100 };
    expect((await events(it, some)).map(({ name, data }) => [name, data.answers.length])).toEqual([["final", 0]]);
    expect(
      (await events(it, { ...some, minConfidence: 0 })).map(({ name, data }) => [name, data.answers.length > 0]),
    ).toEqual([["final", true]]);
    const half = await served({ model: { calibration: { ...never, intercept: 0, threshold: 0.1 } } });
    expect((await events(half, { ...some, minConfidence: 0.9 })).map(({ name }) => name)).toEqual(["final"]);
  });

  it("shows the closest passages as text on the page without scripts", async () => {
    const { send } = await served({ model: { calibration: never } });
    const page = await (await send("GET", "/plain?q=who+built+the+tower")).text();
    expect(page).toContain("No answer was found");
    expect(page).toContain("The closest passages");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).not.toContain("<script>alert");
    expect(page).toMatch(/href="\/plain\/document\?id=[^"]+#answer"/);
  });
});
