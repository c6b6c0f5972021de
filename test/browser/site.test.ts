/**
 * A published index that is read over HTTP gives the same answers as its folder, from every kind of
 * host.
 */

import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it, vi } from "vitest";
import { PhraseSearch } from "../../adapters/browser/phrase-search.js";
import { openSite } from "../../adapters/browser/site.js";
import { SiteBlobs } from "../../adapters/browser/site-blobs.js";
import type { OpenNetwork } from "../../adapters/browser/site-encoder.js";
import { type WebFetch, webFetch } from "../../adapters/browser/web.js";
import { indexPaths, openIndex } from "../../adapters/node/index.js";
import { publishSite } from "../../adapters/node/publish/publish-site.js";
import type { Answer } from "../../src/search/types.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";
import type { HostKind, StaticHost } from "../support/static-host.js";
import { setup, withHost } from "./published-samples.js";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/**
 * The same network in the Node runtime; WebAssembly is tested in a browser
 * (test/web/published.test.ts).
 */
const openNetwork: OpenNetwork = async ({ model }) => {
  const session = await InferenceSession.create(model);
  return {
    async run(ids) {
      const out = await session.run({ ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]) });
      const data = (name: string): Float32Array => out[name]!.data as Float32Array;
      return { cls: data("cls"), ngrams: data("ngrams"), vector: data("question_vector") };
    },
    close: () => session.release(),
  };
};

/** Longer than a site needs from the answers of one round to the last request of the next. */
const ROUND_MS = 250;

/** Answers requests in rounds, all of a round at once: their number is the length of the longest chain of requests. */
class Rounds {
  count = 0;
  #requests: Promise<unknown>[] = [];
  #answered: Array<() => void> = [];
  #timer: NodeJS.Timeout | undefined;

  readonly fetch: WebFetch = async (url, init) => {
    const request = webFetch(url, init);
    this.#requests.push(request);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#answer(), ROUND_MS);
    await new Promise<void>((answered) => this.#answered.push(answered));
    return request;
  };

  async #answer(): Promise<void> {
    this.count++;
    const answered = this.#answered.splice(0);
    await Promise.allSettled(this.#requests.splice(0));
    for (const answer of answered) answer();
  }
}

async function sampleQuestions(): Promise<string[]> {
  const lines = (await readFile(join(projectRoot, "samples", "questions.jsonl"), "utf8")).trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { question: string }).question);
}

async function openPhrases(host: StaticHost): Promise<PhraseSearch> {
  const blobs = new SiteBlobs({ base: new URL(host.url) });
  return PhraseSearch.open({ blobs, files: (await blobs.manifest()).files!, openNetwork });
}

const PHRASE_QUESTIONS = [
  'who founded the "observatory"?',
  'who founded the observatory "in 1911" -lighthouse',
  '"no such phrase"',
];

describe("a published site", () => {
  it("gives the same answers as the folder to every sample question, from every kind of host", async () => {
    const { index: path, site, publish } = await setup();
    await publish();
    const index = await openIndex({ path, modelFolder: tinyModel, correctsSpelling: false });
    const questions = [...PHRASE_QUESTIONS, ...(await sampleQuestions())];
    const expected = new Map<string, Answer[]>();
    for (const question of questions) expected.set(question, (await index.ask(question)).answers);
    await index.close();
    expect([...expected.values()].some((answers) => answers.length > 0)).toBe(true);
    const kinds: HostKind[] = ["range", "no-range", "compressing", "compressed-ranges", "short-ranges"];
    for (const kind of kinds) {
      await withHost(site, { kind, path: "/docs/answers/" }, async (host) => {
        const phrases = await openPhrases(host);
        // One kind of host gets all questions; for the others a few show that reading works.
        for (const question of kind === "range" ? questions : questions.slice(0, 6)) {
          expect((await phrases.ask(question)).answers, `${kind}: ${question}`).toEqual(expected.get(question));
        }
        await phrases.close();
        if (kind === "range") expect(host.asked.some(({ range }) => range !== undefined)).toBe(true);
        if (kind !== "range") {
          // Once ranges have failed, none is requested again.
          const last = host.asked.findLastIndex(({ range }) => range !== undefined);
          expect(host.asked.length - last).toBeGreaterThan(1);
        }
      });
    }
  });

  it("returns sentences first, in two round trips after opening, and whole documents", async () => {
    const { folder, site, publish } = await setup();
    const report = await publish({ level: "terms" });
    expect(report.bytes.model).toBe(0);
    for (const kind of ["range", "no-range", "compressing"] as const) {
      await withHost(site, { kind }, async (host) => {
        const open = await openSite(host.url);
        host.asked.length = 0;
        const kinds: string[] = [];
        for await (const { kind, answers } of open.ask("who founded the observatory?")) {
          kinds.push(kind);
          for (const { text, documentId, start, end, source, place } of answers) {
            const document = await open.readDocument(documentId, start, { to: end });
            expect(document.text).toBe(text);
            expect(source).toMatch(/notes/);
            expect(place.line ?? place.path).toBeDefined();
          }
        }
        expect(kinds).toEqual(["sentences"]);
        const known = new Set(host.asked.map(({ path }) => path));
        expect(known.size).toBe(host.asked.length); // no file twice
        for await (const { answers, restriction } of open.ask('who "the observatory" -Calder')) {
          expect(restriction).toEqual({ phrases: ["the observatory"], excluded: ["Calder"] });
          expect(answers.length).toBeGreaterThan(0);
        }
        for await (const { answers, restriction } of open.ask('"the observatori"')) {
          expect(restriction!.missing).toEqual(["the observatori"]);
          expect(answers).toEqual([]);
        }
        const rounds = new Rounds();
        const other = await openSite(host.url, { fetch: rounds.fetch });
        rounds.count = 0;
        for await (const _ of other.ask("who repaired the windlass on Skarn Point?")) break;
        expect(rounds.count).toBeLessThanOrEqual(2);
        other.close();
        const documents = await open.documents();
        expect(documents.length).toBe(report.documents);
        const history = documents.find(({ id }) => id.endsWith("history.md"))!;
        const whole = await open.readDocument(history.id, 0, { to: history.length });
        expect(whole.text.length).toBe(history.length);
        expect(whole.text).toContain("Ines Calder");
        expect((await open.readDocument(history.id, 10, { to: 90 })).text).toBe(whole.text.slice(10, 90));
        await expect(open.readDocument("no such", 0, { to: 1 })).rejects.toMatchObject({ code: "invalid-argument" });
        open.close();
      });
    }
    expect(folder).toBeDefined();
  });
});

describe("a broken host", () => {
  const flipped = (bytes: Uint8Array): Uint8Array => {
    const copy = new Uint8Array(bytes);
    copy[copy.length >> 1]! ^= 1;
    return copy;
  };

  it("that damages every file once causes no error", async () => {
    const { index: path, site, publish } = await setup();
    await publish();
    const index = await openIndex({ path, modelFolder: tinyModel, correctsSpelling: false });
    const question = "who founded the observatory?";
    const { answers } = await index.ask(question);
    await index.close();
    for (const kind of ["range", "no-range"] as const) {
      for (const tamper of [
        (path: string, bytes: Uint8Array, nth: number) =>
          path.includes("/data/") && nth === 0 ? flipped(bytes) : bytes,
        (path: string, bytes: Uint8Array, nth: number) =>
          path.includes("/data/") && nth === 0 ? bytes.subarray(0, bytes.length >> 1) : bytes,
      ]) {
        await withHost(site, { kind, tamper }, async (host) => {
          const phrases = await openPhrases(host);
          expect((await phrases.ask(question)).answers).toEqual(answers);
          await phrases.close();
          const open = await openSite(host.url, { startWorker: null });
          for await (const { answers: sentences } of open.ask(question)) expect(sentences.length).toBeGreaterThan(0);
        });
      }
    }
  });

  it("that damages files permanently causes an error with the file and the next step", async () => {
    const { site, publish } = await setup(["history.md"]);
    await publish();
    const tamper = (path: string, bytes: Uint8Array): Uint8Array => (path.includes("/data/") ? flipped(bytes) : bytes);
    await withHost(site, { tamper }, async (host) => {
      await expect(openSite(host.url)).rejects.toMatchObject({
        code: "corrupt-segment",
        message: expect.stringContaining(host.url),
        hint: expect.stringContaining("publish"),
      });
      await expect(openPhrases(host)).rejects.toMatchObject({ code: "corrupt-segment" });
    });
    const manifest = (path: string, bytes: Uint8Array): Uint8Array =>
      path.endsWith("manifest.json") ? flipped(bytes) : bytes;
    await withHost(site, { tamper: manifest }, async (host) => {
      await expect(openSite(host.url)).rejects.toMatchObject({ code: "corrupt-manifest" });
    });
  });

  it("that is unreachable, or lost a file, is reported as such", async () => {
    const { site, publish } = await setup(["history.md"]);
    await publish({ level: "terms" });
    await withHost(site, {}, async (host) => {
      const open = await openSite(host.url);
      const { tamper: _, ...options } = host.options;
      host.options = { ...options, path: "/moved/" };
      const ask = async (): Promise<void> => {
        for await (const _ of open.ask("who founded the observatory?"));
      };
      await expect(ask()).rejects.toMatchObject({ code: "io-error", hint: expect.stringContaining("reload") });
      await host.stop();
      await expect(ask()).rejects.toMatchObject({ code: "io-error", hint: expect.stringContaining("connection") });
    });
  });
});

describe("publishing", () => {
  const filesOf = async (site: string): Promise<Map<string, number>> => {
    const found = new Map<string, number>();
    for (const entry of await readdir(site, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      found.set(path.slice(site.length + 1), (await stat(path)).mtimeMs);
    }
    return found;
  };

  it("again writes changed files, keeps the others, removes unused ones, and touches no other files", async () => {
    const { folder, index, site, publish } = await setup();
    const first = await publish({ title: "Notes & <more>" });
    expect(await readFile(join(site, "index.html"), "utf8")).toContain("<title>Notes &amp; &lt;more&gt;</title>");
    const before = await filesOf(site);
    await writeFile(join(site, "CNAME"), "answers.example\n");
    const same = await publish({ title: "Notes & <more>" });
    expect(same).toMatchObject({ written: 0, unchanged: first.written, writtenBytes: 0 });
    expect(await filesOf(site)).toEqual(new Map([...before, ["CNAME", (await stat(join(site, "CNAME"))).mtimeMs]]));
    await copyFile(join(projectRoot, "samples", "plum-jam.txt"), join(folder, "notes", "plum-jam.txt"));
    await indexPaths([join(folder, "notes", "plum-jam.txt")], { index, modelFolder: tinyModel, threads: 1 });
    const more = await publish({ title: "Notes & <more>" });
    expect(more.documents).toBeGreaterThan(first.documents);
    const after = await filesOf(site);
    expect(after.size).toBe(more.written + more.unchanged + 1);
    for (const [name, time] of before)
      if (after.has(name) && name.includes("data/")) expect(after.get(name)).toBe(time);
    await withHost(site, {}, async (host) => {
      const open = await openSite(host.url, { startWorker: null });
      const jam = (await open.documents()).find(({ id }) => id.includes("plum-jam"))!;
      const text = await readFile(join(projectRoot, "samples", "plum-jam.txt"), "utf8");
      expect((await open.readDocument(jam.id, 0, { to: 60 })).text).toBe(text.slice(0, 60));
    });
  });

  it("refuses a folder with other files, a wrong base and deleted documents, without changes", async () => {
    const { folder, index, publish } = await setup(["history.md", "plum-jam.txt"]);
    const other = join(folder, "other");
    await mkdir(other);
    await writeFile(join(other, "thesis.txt"), "mine");
    await expect(publish({ out: other })).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("--force"),
    });
    expect(await readdir(other)).toEqual(["thesis.txt"]);
    await expect(publish({ base: "javascript:1" })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await readdir(folder)).not.toContain("site"); // no partial site is left
    expect((await readdir(folder)).filter((name) => name.includes("publishing"))).toEqual([]);
    await publish({ out: other, force: true });
    expect(await readFile(join(other, "thesis.txt"), "utf8")).toBe("mine");
    const { openWriter } = await import("../../adapters/node/index.js");
    const writer = await openWriter({ path: index, modelFolder: tinyModel, autoMerge: false });
    await writer.delete(({ source }) => source.includes("plum-jam"));
    await writer.commit();
    await writer.close();
    await expect(publish()).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("compact"),
    });
    const terms = await publish({ level: "terms" });
    expect(terms.documents).toBe(1);
    // the samples were indexed by absolute paths
    expect(terms.absoluteSources[0]).toContain("history.md");
    const texts = await Promise.all(
      [...(await filesOf(join(folder, "site"))).keys()].map((name) => readFile(join(folder, "site", name))),
    );
    expect(texts.some((bytes) => bytes.includes("plum"))).toBe(false);
  });

  it("that is stopped leaves no folder", async () => {
    const { folder, index, page } = await setup(["history.md"]);
    const controller = new AbortController();
    controller.abort();
    const options = { index, out: join(folder, "site"), modelFolder: tinyModel, pageFolder: page };
    await expect(publishSite({ ...options, signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    expect(await readdir(folder)).not.toContain("site");
  });
});
