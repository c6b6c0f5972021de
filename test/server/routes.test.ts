/** Every route of the API: what it returns, and that it matches the OpenAPI document. */

import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_LIMITS } from "../../adapters/server/http/limits.js";
import { PathRedactor } from "../../adapters/server/http/path-redactor.js";
import { ROUTES } from "../../adapters/server/http/route-table.js";
import { createSchemas, type JobView, type ResultView } from "../../adapters/server/http/schemas.js";
import type { Service } from "../../adapters/server/http/service.js";
import type { AskOptions } from "../../src/ask/options.js";
import { VerbatimError } from "../../src/errors.js";
import type { Document } from "../../src/types.js";
import { textDocument } from "../support/ask.js";
import { ADMIN, problemOf, ROOT, served, WRITE } from "./served.js";

const schemas = createSchemas(DEFAULT_LIMITS);

/** A document as a file in a folder outside of the working folder gives it. */
function file(folder: string, name: string, text: string): Document {
  const path = `${folder}/${name}`;
  return { ...textDocument(path, text, name), source: path, metadata: { "file.folder": folder } };
}

describe("POST /v1/ask", () => {
  it("returns exact quotes, their source, and the version", async () => {
    const { send, index } = await served();
    const response = await send("POST", "/v1/ask", { json: { question: "who founded the observatory?", topK: 2 } });
    expect(response.status).toBe(200);
    const result = schemas.Result.parse(await response.json());
    expect(result.version).toBe(index.requireOpen().version);
    expect(result.answers.length).toBeLessThanOrEqual(2);
    const [best] = result.answers;
    expect(best!.documentId).toBe("history");
    expect(best!.context.slice(best!.start - best!.contextStart, best!.end - best!.contextStart)).toBe(best!.text);
    const { answers } = await index.requireOpen().ask("who founded the observatory?", { topK: 2 });
    expect(best!.text).toBe(answers[0]!.text);
  });

  it("restricts to phrases and excluded words, and explains when no passage is left", async () => {
    const { send } = await served();
    const ask = async (question: string) =>
      schemas.Result.parse(await (await send("POST", "/v1/ask", { json: { question, minConfidence: 0 } })).json());
    const some = await ask('who built or founded it "was built by" -tower');
    expect(some.restriction).toEqual({ phrases: ["was built by"], excluded: ["tower"] });
    expect(new Set(some.answers.map(({ documentId }) => documentId))).toEqual(new Set(["pump"]));
    const none = await ask('who founded it "was burnt by"');
    expect(none.answers).toEqual([]);
    expect(none.restriction!.missing).toEqual(["was burnt by"]);
    const plain = await (await send("GET", `/plain?q=${encodeURIComponent('who "was burnt by"')}`)).text();
    expect(plain).toContain("None of the searched passages contains “was burnt by”.");
  });

  it("does not answer the rest of a batch when one of its questions is refused", async () => {
    const questions = Array.from({ length: 8 }, (_, n) => (n === 0 ? "year >" : `who founded the observatory ${n}?`));
    const { index, send } = await served();
    const signals: AbortSignal[] = [];
    const open = index.requireOpen();
    const asked = vi.spyOn(open, "ask").mockImplementation(async (question: string, { signal }: AskOptions = {}) => {
      signals.push(signal!);
      if (question === "year >") throw new VerbatimError("invalid-argument", "The question is refused.");
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    });
    const response = await send("POST", "/v1/ask", { json: { questions } });
    expect(response.status).toBe(400);
    await vi.waitFor(() => expect(signals.every(({ aborted }) => aborted)).toBe(true));
    asked.mockRestore();
  });

  it("answers a batch in order", async () => {
    const { send } = await served();
    const questions = ["who founded the observatory?", "when does the pump stop?", "who opened the bridge?"];
    const response = await send("POST", "/v1/ask", { json: { questions, topK: 1 } });
    const { results } = schemas.Results.parse(await response.json());
    expect(results.map(({ question }) => question)).toEqual(questions);
    expect(results.map(({ answers }) => answers[0]!.title)).toEqual(["History", "Pump", "Bridge"]);
  });

  it("streams one final event without a reader, which equals the answer to a plain request", async () => {
    const { send } = await served();
    const json = { question: "who founded the observatory?", topK: 100 };
    const response = await send("POST", "/v1/ask", { json, headers: { Accept: "text/event-stream" } });
    expect(response.headers.get("Content-Type")).toMatch(/^text\/event-stream/);
    const events = [...(await response.text()).matchAll(/event: (\w+)\ndata: (.+)\n\n/g)];
    expect(events.map(([, name]) => name)).toEqual(["final"]);
    const final = schemas.Result.parse(JSON.parse(events[0]![2]!));
    const whole = (await (await send("POST", "/v1/ask", { json })).json()) as ResultView;
    expect({ ...final, tookMs: 0 }).toEqual({ ...whole, tookMs: 0 });
  });

  it("sends an error after the head as an event", async () => {
    const { send } = await served();
    const json = { question: "who?", where: "year >" };
    const response = await send("POST", "/v1/ask", { json, headers: { Accept: "text/event-stream" } });
    const text = await response.text();
    expect(text).toMatch(/^event: problem\ndata: \{/);
    expect(text).toContain('"position":6');
  });

  it("accepts a filter, reports where one is invalid, and reaches a version that exists", async () => {
    const { send, index } = await served();
    const ask = (more: object) => send("POST", "/v1/ask", { json: { question: "who opened it?", ...more } });
    const filtered = schemas.Result.parse(await (await ask({ where: "year = 1890" })).json());
    expect(new Set(filtered.answers.map(({ title }) => title))).toEqual(new Set(["Bridge"]));
    expect(await problemOf(await ask({ where: "year >" }))).toMatchObject({ status: 400, where: "where", position: 6 });
    const { version } = index.requireOpen();
    expect((await ask({ atLeastVersion: version })).status).toBe(200);
    const late = await ask({ atLeastVersion: version + 1 });
    expect(await problemOf(late)).toMatchObject({
      status: 400,
      title: `The index is at version ${version}, not yet at ${version + 1}.`,
    });
  });

  it("filters by the ids, sources and folders that it returns, and by no path of the server", async () => {
    const { send } = await served();
    const found = async (where: string) => {
      const json = { question: "who opened it?", minConfidence: 0, where };
      const plain = schemas.Result.parse(await (await send("POST", "/v1/ask", { json })).json());
      const headers = { Accept: "text/event-stream" };
      const events = await (await send("POST", "/v1/ask", { json, headers })).text();
      const ids = new Set(plain.answers.map(({ documentId }) => documentId));
      for (const id of ids) expect(events).toContain(id);
      return [...ids];
    };
    for (const where of ['folder = "notes/deep"', 'id = "notes/deep/bridge"', 'source contains "notes/deep/"'])
      expect(await found(where), where).toEqual(["notes/deep/bridge"]);
    for (const where of [`folder = "${ROOT}/deep"`, 'source contains "secret"', 'id >= "/secret" and id < "/t"'])
      expect(await found(where), where).toEqual([]);
  });

  it("explains: the parts sum to the score, and the passage holds the answer", async () => {
    const { send } = await served();
    const response = await send("POST", "/v1/explain", { json: { question: "who founded the observatory?", topK: 1 } });
    const [best] = schemas.Result.parse(await response.json()).answers;
    const { dense, ngram, terms, tfidf, vector } = best!.parts!;
    expect(dense + ngram + terms + tfidf + vector).toBeCloseTo(best!.score, 6);
    const { passage } = best!;
    expect(passage!.text.slice(best!.start - passage!.start, best!.end - passage!.start)).toBe(best!.text);
    expect(best!.ngrams!.length).toBeGreaterThan(0);
  });

  it("checks quotations and drafts, with public names", async () => {
    const { send } = await served();
    const quotations = [
      { text: "The bridge was opened by Queen Maud.", attributedTo: "Bridge" },
      { text: "It is 68 metres long." },
      { text: "The pump stops", documentId: "history" },
    ];
    const response = await send("POST", "/v1/quote", { json: { quotations } });
    const body = schemas.Quoted.parse(await response.json());
    expect(body.exact).toBe(false);
    expect(body.quotations.map(({ verdict }) => verdict)).toEqual(["exact", "not-found", "not-found"]);
    expect(body.quotations[0]!.places[0]).toMatchObject({ documentId: "notes/deep/bridge", start: 0 });
    expect(JSON.stringify(body)).not.toContain("/secret");
    const draft = "One “pump stops” (history)\nand “open.\n";
    const checked = schemas.Quoted.parse(await (await send("POST", "/v1/quote", { json: { draft } })).json());
    expect(checked).toMatchObject({
      unclosed: [2],
      quotations: [{ verdict: "misattributed", line: 1, draftStart: 5 }],
    });
    for (const json of [{}, { draft, quotations }, { quotations: [{ text: "—" }] }])
      expect((await send("POST", "/v1/quote", { json })).status).toBe(400);
    const gone = { quotations: [{ text: "x", documentId: "gone" }] };
    expect((await send("POST", "/v1/quote", { json: gone })).status).toBe(404);
    const many = "“a b” ".repeat(501);
    expect((await send("POST", "/v1/quote", { json: { draft: many } })).status).toBe(413);
  });

  it("returns 503 while the index is empty", async () => {
    const { send } = await served({ documents: [] });
    for (const [method, path] of [
      ["POST", "/v1/ask"],
      ["POST", "/v1/explain"],
      ["POST", "/v1/quote"],
    ] as const) {
      const json = path === "/v1/quote" ? { draft: "“who”" } : { question: "who?" };
      const response = await send(method, path, { json });
      expect(await problemOf(response)).toMatchObject({ status: 503, code: "index-missing" });
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect((await send("GET", "/readyz")).status).toBe(503);
    expect((await send("GET", "/healthz")).status).toBe(200);
    expect(await (await send("GET", "/v1/documents")).json()).toEqual({ documents: [], total: 0 });
  });
});

describe("an index that is being built", () => {
  const job: JobView = {
    ...{ id: "1", kind: "paths", state: "running", progress: 0.375, documents: 12, unchanged: 0, deleted: 0 },
    ...{ passages: 80, skipped: [], version: null },
  };
  const ingestion = (following: "catching-up" | "interrupted") =>
    ({ openJobs: [job], openJobCount: 1, status: { following, restarts: 0 } }) as unknown as Service["ingestion"];

  it("answers 503 with the progress", async () => {
    const { send } = await served({ documents: [], parts: { ingestion: ingestion("catching-up") } });
    for (const [method, path, json] of [
      ["POST", "/v1/ask", { question: "who?" }],
      ["GET", "/v1/documents/a", undefined],
      ["GET", "/readyz", undefined],
    ] as const) {
      expect(await problemOf(await send(method, path, { json }))).toMatchObject({
        ...{ status: 503, code: "index-building", progress: 0.375 },
        title: "The index is being built: 37 % done, 12 documents so far.",
      });
    }
  });

  it("is ready when it answers, and says when following is interrupted", async () => {
    const { send } = await served({ parts: { ingestion: ingestion("interrupted") } });
    const response = await send("GET", "/readyz");
    expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(/following is interrupted/)]);
    expect(schemas.Status.parse(await (await send("GET", "/v1/status")).json())).toMatchObject({
      jobs: [{ progress: 0.375 }],
      indexing: { following: "interrupted" },
    });
  });
});

describe("documents", () => {
  it("are listed a page at a time, under ids without paths", async () => {
    const { send } = await served();
    const ids: string[] = [];
    for (let after: string | undefined; ; ) {
      const query = new URLSearchParams({ limit: "2", ...(after === undefined ? {} : { after }) });
      const page = schemas.Documents.parse(await (await send("GET", `/v1/documents?${query}`)).json());
      expect(page.total).toBe(5);
      expect(page.documents.length).toBeLessThanOrEqual(2);
      ids.push(...page.documents.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(ids).toHaveLength(5);
    expect(ids).toContain("notes/deep/bridge");
    expect(ids.find((id) => id.endsWith("mill"))).toMatch(/^elsewhere\/[0-9a-f]{16}\/mill$/);
    const found = await (await send("GET", "/v1/documents?contains=BRIDGE")).json();
    expect(schemas.Documents.parse(found).documents.map(({ metadata }) => metadata)).toEqual([
      { "file.folder": "notes/deep", year: 1890 },
    ]);
    expect((await send("GET", "/v1/documents?after=none")).status).toBe(400);
  });

  it("are read as text, complete or in part, by their public id", async () => {
    const { send } = await served();
    const path = `/v1/documents/${encodeURIComponent("odd/<b>name & co")}`;
    const response = await send("GET", path);
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
    const document = schemas.DocumentText.parse(await response.json());
    expect(document.text).toContain("<script>alert(1)</script>");
    const part = schemas.DocumentText.parse(await (await send("GET", `${path}?from=4&to=12`)).json());
    expect([part.text, part.from, part.to]).toEqual([document.text.slice(4, 12), 4, 12]);
    const beyond = schemas.DocumentText.parse(await (await send("GET", `${path}?from=99999&to=3`)).json());
    expect(beyond.text).toBe("");
    const bridge = await send("GET", `/v1/documents/${encodeURIComponent("notes/deep/bridge")}`);
    expect(schemas.DocumentText.parse(await bridge.json()).source).toBe("notes/deep/bridge.txt");
    for (const id of ["unknown", `${ROOT}/deep/bridge`, "../notes", "a\u0000b"]) {
      expect((await send("GET", `/v1/documents/${encodeURIComponent(id)}`)).status).toBe(404);
    }
  });

  it("are added, changed and removed; the next question sees each change", async () => {
    const { send } = await served();
    const path = `/v1/documents/${encodeURIComponent("new/ferry")}?wait=true`;
    const put = (text: string) => send("PUT", path, { json: { text, title: "Ferry" }, token: WRITE });
    const job = schemas.Job.parse(await (await put("The ferry was bought by Otto Brandt.")).json());
    expect(job.state).toBe("done");
    const ask = async () => {
      const json = {
        question: "who bought the ferry?",
        atLeastVersion: job.version ?? 1,
        topK: 1,
        where: 'source = "new/ferry"',
      };
      return schemas.Result.parse(await (await send("POST", "/v1/ask", { json })).json()).answers[0]?.context;
    };
    expect(await ask()).toBe("The ferry was bought by Otto Brandt.");
    expect((await put("The ferry was bought by Karl Voss.")).status).toBe(200);
    expect(await ask()).toBe("The ferry was bought by Karl Voss.");
    expect((await send("DELETE", path, { token: WRITE })).status).toBe(200);
    expect(await ask()).toBeUndefined();
    expect((await send("DELETE", path, { token: WRITE })).status).toBe(404);
  });

  it("of served folders with the same name are told apart", async () => {
    const { send } = await served({
      documents: [file("/a/notes", "x.txt", "The mill was sold."), file("/b/notes", "x.txt", "The pump stopped.")],
      redactor: new PathRedactor(["/a/notes", "/b/notes"]),
    });
    const list = async () => schemas.Documents.parse(await (await send("GET", "/v1/documents")).json());
    const path = (id: string) => `/v1/documents/${encodeURIComponent(id)}`;
    const text = async (id: string) => schemas.DocumentText.parse(await (await send("GET", path(id))).json()).text;
    expect((await list()).documents.map(({ id }) => id)).toEqual(["a/notes/x.txt", "b/notes/x.txt"]);
    expect([await text("a/notes/x.txt"), await text("b/notes/x.txt")]).toEqual([
      "The mill was sold.",
      "The pump stopped.",
    ]);
    expect((await send("DELETE", `${path("a/notes/x.txt")}?wait=true`, { token: WRITE })).status).toBe(200);
    expect((await list()).documents.map(({ id }) => id)).toEqual(["b/notes/x.txt"]);
  });

  it("of served files are replaced under their public ids, and none is added under such an id", async () => {
    const { send } = await served();
    const put = (id: string) => {
      const path = `/v1/documents/${encodeURIComponent(id)}?wait=true`;
      return send("PUT", path, { json: { text: "The bridge was closed." }, token: WRITE });
    };
    expect((await put("notes/deep/bridge")).status).toBe(200);
    const page = schemas.Documents.parse(await (await send("GET", "/v1/documents?contains=bridge")).json());
    expect(page.documents).toMatchObject([
      { id: "notes/deep/bridge", title: "notes/deep/bridge", source: "notes/deep/bridge", length: 22 },
    ]);
    for (const id of ["notes/deep/new", "notes", "./a", "elsewhere/0123456789abcdef/a"])
      expect(await problemOf(await put(id)), id).toMatchObject({ status: 409, code: "id-reserved", where: "id" });
    for (const id of ["notes.txt", "other/notes/a"]) expect((await put(id)).status).toBe(200);
  });

  it("have sources without paths of the server, even where the index has relative ones", async () => {
    const outside = { ...file("/a/notes", "x.txt", "The mill was sold by Karl Voss."), source: "../a/notes/x.txt" };
    const { send } = await served({
      documents: [outside],
      redactor: new PathRedactor(["/a/notes"], { cwd: "/work" }),
    });
    const { documents } = schemas.Documents.parse(await (await send("GET", "/v1/documents")).json());
    expect(documents).toMatchObject([
      { id: "notes/x.txt", source: "notes/x.txt", metadata: { "file.folder": "notes" } },
    ]);
    const json = { question: "who sold the mill?", minConfidence: 0 };
    const { answers } = schemas.Result.parse(await (await send("POST", "/v1/ask", { json })).json());
    expect(answers[0]).toMatchObject({ documentId: "notes/x.txt", source: "notes/x.txt" });
    const quotations = [{ text: "The mill was sold" }];
    const quoted = schemas.Quoted.parse(await (await send("POST", "/v1/quote", { json: { quotations } })).json());
    expect(quoted.quotations[0]!.places[0]).toMatchObject({ documentId: "notes/x.txt", source: "notes/x.txt" });
  });

  it("are opened, quoted, replaced and removed by any id that is listed, also by one that cannot be added", async () => {
    const ids = ["q:42", "Q: how to.md", "x".repeat(2500), "line\nbreak", "C:\\notes\\a.md", "a/../b"];
    const { send } = await served({
      documents: ids.map((id, n) => textDocument(id, `The bell number ${n} rings at noon.`)),
    });
    const page = async (after?: string) => {
      const query = new URLSearchParams({ limit: "1", ...(after === undefined ? {} : { after }) });
      return schemas.Documents.parse(await (await send("GET", `/v1/documents?${query}`)).json());
    };
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const { documents, next } = await page(after);
      listed.push(documents[0]!.id);
      after = next;
    } while (after !== undefined);
    expect(listed).toHaveLength(ids.length);
    expect(listed.slice(0, 4)).toEqual(ids.slice(0, 4));
    for (const id of listed) {
      const path = `/v1/documents/${encodeURIComponent(id)}`;
      expect(schemas.DocumentText.parse(await (await send("GET", path)).json()).id).toBe(id);
      expect((await send("GET", `${path}/layout`)).status).toBe(200);
      const quotations = [{ text: "rings at noon", documentId: id }];
      const quoted = schemas.Quoted.parse(await (await send("POST", "/v1/quote", { json: { quotations } })).json());
      expect(quoted.quotations[0]!.places).toMatchObject([{ documentId: id }]);
      const replaced = await send("PUT", `${path}?wait=true`, { json: { text: "It was sold." }, token: WRITE });
      expect(replaced.status).toBe(200);
      expect(schemas.DocumentText.parse(await (await send("GET", path)).json()).text).toBe("It was sold.");
      expect((await send("DELETE", `${path}?wait=true`, { token: WRITE })).status).toBe(200);
      expect((await send("GET", path)).status).toBe(404);
    }
    expect((await page()).total).toBe(0);
  });

  it("are not looked up by the paths of their files or by ids that are too long", async () => {
    const { send } = await served();
    for (const id of [`${ROOT}/deep/bridge`, "/other/place/mill", "x".repeat(8193)]) {
      const path = `/v1/documents/${encodeURIComponent(id)}`;
      for (const method of ["GET", "DELETE"])
        expect(await problemOf(await send(method, path, { token: WRITE }))).toMatchObject({ code: "no-document" });
      for (const part of ["layout", "original"]) expect((await send("GET", `${path}/${part}`)).status).toBe(404);
      const json = { quotations: [{ text: "The bridge", documentId: id }] };
      expect([400, 404]).toContain((await send("POST", "/v1/quote", { json })).status);
    }
  });

  it("can be sent back with the metadata that is listed, and are no documents of files then", async () => {
    const { send, index } = await served();
    const page = schemas.Documents.parse(await (await send("GET", "/v1/documents?contains=bridge")).json());
    const { id, title, source, metadata } = page.documents[0]!;
    expect(metadata).toEqual({ "file.folder": "notes/deep", year: 1890 });
    for (const copy of [id, "notes-copy"]) {
      const path = `/v1/documents/${encodeURIComponent(copy)}?wait=true`;
      const json = { text: "The bridge was closed.", title, source, metadata };
      expect((await send("PUT", path, { json, token: WRITE })).status).toBe(200);
      expect((await index.documents.describe(copy))!.metadata).toEqual({ year: 1890 });
      expect((await index.documents.origin(copy))!.isFile).toBe(false);
    }
  });

  it("are sent as files; the job has their progress", async () => {
    const { send } = await served();
    const body = "The harbour was dug by Ann Doe.";
    const response = await send("POST", "/v1/uploads?name=harbour.txt", { body, token: WRITE });
    expect([200, 202]).toContain(response.status);
    const job = await send("GET", response.headers.get("Location")!, { token: WRITE });
    expect(schemas.Job.parse(await job.json()).kind).toBe("upload");
    const cancelled = await send("DELETE", response.headers.get("Location")!, { token: WRITE });
    expect(["done", "stopped"]).toContain(schemas.Job.parse(await cancelled.json()).state);
    for (const method of ["GET", "DELETE"]) {
      expect((await send(method, "/v1/jobs/none", { token: WRITE })).status).toBe(404);
    }
  });

  it("are refused under ids that mean another place, and without words", async () => {
    const { send } = await served();
    const put = (id: string, text = "a word") =>
      send("PUT", `/v1/documents/${encodeURIComponent(id)}`, { json: { text }, token: WRITE });
    for (const id of ["/etc/passwd", "a/../../b", "C:\\x", "x\ny", "a".repeat(513)]) {
      expect(await problemOf(await put(id))).toMatchObject({ status: 400, where: "id" });
    }
    expect((await put("empty", " \n ")).status).toBe(400);
    for (const name of ["", "a/b.txt", "..", "\u0007", "c:a.txt"]) {
      const path = `/v1/uploads?name=${encodeURIComponent(name)}`;
      expect((await send("POST", path, { body: "x", token: WRITE })).status).toBe(400);
    }
  });
});

describe("monitoring", () => {
  it("has metrics for Prometheus", async () => {
    const { send } = await served();
    await send("POST", "/v1/ask", { json: { question: "who founded the observatory?" } });
    const response = await send("GET", "/metrics", { token: ADMIN });
    expect(response.headers.get("Content-Type")).toMatch(/^text\/plain; version=0.0.4/);
    const text = await response.text();
    for (const step of ["encode", "terms", "dense", "score", "text", "wait", "total"]) {
      expect(text).toContain(`verbatim_question_step_seconds_count{step="${step}"} 1`);
    }
    expect(text).toMatch(/^verbatim_index_documents 5$/m);
    expect(text).toMatch(/^verbatim_index_version [1-9]/m);
    expect(text).toMatch(/^verbatim_questions_waiting 0$/m);
    expect(text).toMatch(/^verbatim_process_resident_memory_bytes \d/m);
    expect(text).toContain('verbatim_http_requests_total{method="POST",route="/v1/ask",status="200"} 1');
  });

  it("reports what is served and what the caller may do", async () => {
    const { send } = await served();
    const status = async (token?: string) =>
      schemas.Status.parse(await (await send("GET", "/v1/status", { token })).json());
    expect(await status()).toMatchObject({ documents: 5, scope: "ask", writable: true, tokenNeeded: false });
    expect((await status(WRITE)).scope).toBe("write");
  });

  it("logs one line per request, without question, token or id", async () => {
    const { send, log } = await served();
    await send("POST", "/v1/ask", { json: { question: "who founded the observatory?" }, token: ADMIN });
    await send("GET", "/v1/documents/history");
    const lines = log.map((line) => JSON.stringify(line));
    expect(lines).toHaveLength(2);
    expect(log[0]).toMatchObject({ event: "request", details: { method: "POST", route: "/v1/ask", status: 200 } });
    expect(lines.join()).not.toMatch(/observatory|history"|token-0123/);
  });
});

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1 and names every route, and no other", async () => {
    const { send, app } = await served();
    const document = (await (await send("GET", "/openapi.json")).json()) as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(document);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(document.openapi).toBe("3.1.0");
    const described = ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`);
    const forPeople = /^GET \/(assets\/.*|docs|plain|plain\/document)?$|^POST \/plain$/;
    expect([...described].sort()).toEqual(app.routes.filter((route) => !forPeople.test(route)).sort());
  });

  it("has the statuses that any route, a wrong token and an ended job lead to", async () => {
    const { send } = await served({ limits: { requestsPerSecond: 1e-6, requestBurst: 2 } });
    const document = (await (await send("GET", "/openapi.json")).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
    };
    const statuses = (method: string, path: string) => Object.keys(document.paths[path]![method]!.responses);
    expect((await send("GET", "/v1/status", { token: "guess-0123456789" })).status).toBe(401);
    expect(statuses("get", "/v1/status")).toContain("401");
    const upload = await send("POST", "/v1/uploads?name=a.txt&wait=true", { body: "a word", token: WRITE });
    const job = upload.headers.get("Location")!;
    expect((await send("DELETE", job, { token: WRITE })).status).toBe(200);
    expect(statuses("delete", "/v1/jobs/{id}")).toEqual(expect.arrayContaining(["200", "202"]));
    expect(statuses("put", "/v1/documents/{id}")).toEqual(expect.arrayContaining(["200", "202", "409"]));
    expect((await send("GET", "/v1/documents", { token: WRITE })).status).toBe(429);
    for (const { method, path } of ROUTES) expect(statuses(method, path), path).toContain("429");
  });

  it("is rendered without scripts and without anything from other servers", async () => {
    const { send } = await served();
    const text = await (await send("GET", "/docs")).text();
    for (const { path } of ROUTES) expect(text).toContain(path);
    expect(text).not.toMatch(/<script|(src|href)="(https?:)?\/\//i);
  });
});

describe("the plain form", () => {
  it("asks and shows answers without scripts; documents are shown as text", async () => {
    const { send } = await served();
    const response = await send("GET", `/plain?q=${encodeURIComponent("who built the tower?")}`);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain("<mark>");
    expect(text).toContain("&lt;script&gt;alert(1)");
    expect(text).not.toMatch(/<script/);
    const link = /href="(\/plain\/document\?[^"]+)"/.exec(text)![1]!.replaceAll("&amp;", "&").replace(/#.*/, "");
    const place = await (await send("GET", link)).text();
    expect(place).toMatch(/<mark id="answer">[^<]+<\/mark>/);
    expect(place).not.toMatch(/<script/);
    expect(await (await send("GET", `/plain?q=${encodeURIComponent('"><img src=x>')}`)).text()).not.toContain("<img");
  });

  it("is in the language that the browser asks for", async () => {
    const { send } = await served();
    const get = async (language: string, question = ""): Promise<string> => {
      const path = question === "" ? "/plain" : `/plain?q=${encodeURIComponent(question)}`;
      const response = await send("GET", path, { headers: { "Accept-Language": language } });
      expect(response.headers.get("Vary")).toMatch(/Accept-Language/);
      return response.text();
    };
    const form = await get("de-CH,fr;q=0.5");
    expect(form).toMatch(/<html lang="de">[\s\S]*placeholder="Frag deine Dokumente"[\s\S]*<button>Fragen<\/button>/);
    expect(await get("zh-CN,zh")).toMatch(/<html lang="zh">[\s\S]*<button>提问<\/button>/);
    expect(await get("ja", "who built the tower?")).toMatch(/<html lang="en">[\s\S]*<mark>/);
    expect(await get("fr", 'tower "not in any document"')).toMatch(/Aucune réponse n’a été trouvée\./);
  });

  it("asks for a token where one is required, in the body and never in a link", async () => {
    const { send } = await served({ withTokens: true });
    expect(await (await send("GET", "/plain")).text()).toMatch(/method="post"[\s\S]*name="token"/);
    const post = (fields: Record<string, string>) => {
      const headers = { "Content-Type": "application/x-www-form-urlencoded" };
      return send("POST", "/plain", { body: new URLSearchParams(fields).toString(), headers });
    };
    expect((await post({ q: "who founded the observatory?" })).status).toBe(401);
    const response = await post({ q: "who founded the observatory?", token: ADMIN });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain("<mark>");
    expect(text).not.toContain(ADMIN);
  });
});
