/**
 * Changes through a real indexing process: killed, cancelled, stopped while it hangs, and what it
 * leaves behind.
 */

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openIndex } from "../../adapters/node/index.js";
import { takeLock } from "../../adapters/node/storage/lock-file.js";
import { waitForLock } from "../../adapters/node/storage/wait-for-lock.js";
import { PathRedactor } from "../../adapters/server/http/path-redactor.js";
import type { JobView } from "../../adapters/server/http/schemas.js";
import { Ingestion } from "../../adapters/server/ingest/ingestion.js";
import { bytesOf } from "../../adapters/server/ingest/job.js";
import { UploadFolder } from "../../adapters/server/ingest/upload-folder.js";
import { tinyModel } from "../cli/run-cli.js";
import { pdfPages } from "../documents/fixtures/pdf.js";
import { textDocument } from "../support/ask.js";
import { type LogLine, served, WRITE } from "./served.js";

const never = new AbortController().signal;
const PIER = pdfPages([[{ text: "The pier was built by Ada Quill.", y: 700 }]]);
/** Room for two of them. */
const MAX_KEPT = 2 * PIER.length;
const MAX_JOBS = 8;
let folder: string;
let log: LogLine[];
let ingestion: Ingestion;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "verbatim-ingestion-"));
  mkdirSync(join(folder, "temporary"));
  mkdirSync(join(folder, "notes"));
  log = [];
  ingestion = create();
});
afterEach(async () => {
  await ingestion.stop();
  rmSync(folder, { recursive: true, force: true });
});

function create(stopMs = 20_000, modelFolder = tinyModel): Ingestion {
  return new Ingestion({
    setup: { index: join(folder, "index"), modelFolder, threads: 1, cwd: folder, maxKeptBytes: MAX_KEPT },
    limits: { maxJobs: MAX_JOBS, maxJobBytes: 8 << 20, stopMs },
    redactor: new PathRedactor([folder]),
    log: (level, event, details = {}) => log.push({ level, event, details }),
    refresh: async () => {},
    uploads: new UploadFolder(join(folder, "temporary")),
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 20));
}

async function* chunksOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof content === "string" ? new TextEncoder().encode(content) : content;
}

const upload = (name: string, content: string | Uint8Array): Promise<JobView> =>
  ingestion.upload(name, chunksOf(content));

/** Everything in the folders of uploads but their locks. */
const uploaded = (): string[] => {
  const temporary = join(folder, "temporary");
  return readdirSync(temporary).flatMap((name) => readdirSync(join(temporary, name)).filter((file) => file !== "lock"));
};

/** More than a process encodes before a test has done something to it. */
const longUpload = (): Promise<JobView> => {
  const line = (i: number): string =>
    JSON.stringify({ id: `${i}`, text: `The bell number ${i} rings at noon. `.repeat(40) });
  return upload("long.jsonl", Array.from({ length: 3000 }, (_, i) => line(i)).join("\n"));
};
const put = (id: string): JobView =>
  ingestion.submit({ kind: "put", documents: [textDocument(id, "The mill was sold by Karl Voss.")] });
const events = (): string[] => log.map(({ event }) => event);

it("keeps what waits and resumes following when its process is killed; the change that was running fails", async () => {
  writeFileSync(join(folder, "notes", "a.txt"), "The observatory was founded by Ines Calder.\n");
  const paths = ingestion.submit({ kind: "paths", paths: ["notes"], follow: true });
  await ingestion.settled(paths.id);
  expect(paths).toMatchObject({ state: "done", documents: 1 });
  expect(ingestion.status).toEqual({ following: "on", restarts: 0 });

  const long = await longUpload();
  const waiting = put("mill");
  await until(() => long.documents > 0);
  expect(waiting.state).toBe("waiting");
  process.kill(ingestion.indexerPid!, "SIGKILL");
  await ingestion.settled(long.id);
  expect(long).toMatchObject({ state: "failed", error: { title: expect.stringMatching(/ended unexpectedly/) } });
  await ingestion.settled(waiting.id);
  expect(waiting).toMatchObject({ state: "done", documents: 1 });
  expect(ingestion.status).toMatchObject({ restarts: 1, lastFailure: { title: expect.any(String) } });

  await until(() => ingestion.status.following === "on");
  expect(events()).toEqual(
    expect.arrayContaining(["indexing process ended", "following interrupted", "following resumed"]),
  );
  log.length = 0;
  writeFileSync(join(folder, "notes", "b.txt"), "The pump stops when the tank is full.\n");
  await until(() => log.some(({ event, details }) => event === "followed" && details.documents === 1));
  const index = await openIndex({ path: join(folder, "index"), modelFolder: tinyModel });
  expect(index.info.documents).toBe(3);
  await index.close();
  expect(
    readdirSync(join(folder, "temporary")).flatMap((name) => readdirSync(join(folder, "temporary", name))),
  ).toEqual(["lock"]);
});

it("cancels a job that waits at once, and one that runs soon; the next one is applied", async () => {
  const long = await longUpload();
  const [second, third] = [put("second"), put("third")];
  expect(ingestion.cancel(second.id)?.state).toBe("stopped");
  await until(() => long.documents > 0);
  expect(ingestion.cancel(long.id)?.state).toBe("running");
  await ingestion.settled(long.id);
  expect(long.state).toBe("stopped");
  await ingestion.settled(third.id);
  expect(third).toMatchObject({ state: "done", documents: 1 });
  expect(ingestion.cancel(third.id)?.state).toBe("done");
  expect(ingestion.cancel("none")).toBeUndefined();
});

it("cancels a change that waits behind a round of following at once, and leaves the round alone", async () => {
  writeFileSync(join(folder, "notes", "a.txt"), "The observatory was founded by Ines Calder.\n");
  const paths = ingestion.submit({ kind: "paths", paths: ["notes"], follow: true });
  await ingestion.settled(paths.id);
  const pid = ingestion.indexerPid;
  // the next round hangs until the lock is released
  const lock = await waitForLock(() => takeLock(join(folder, "index")), { signal: never, retryMs: 20 });
  writeFileSync(join(folder, "notes", "b.txt"), "The pump stops when the tank is full.\n");
  await until(() => events().includes("waiting for another writer"));

  const waiting = put("mill");
  expect(waiting.state).toBe("running");
  ingestion.cancel(waiting.id);
  await ingestion.settled(waiting.id);
  expect(waiting).toMatchObject({ state: "stopped", documents: 0 });

  log.length = 0;
  await lock.release();
  await until(() => log.some(({ event, details }) => event === "followed" && details.documents === 1));
  expect(ingestion.indexerPid).toBe(pid);
  expect(ingestion.status).toEqual({ following: "on", restarts: 0 });
  expect(events()).not.toContain("cancelled job killed");
  const next = put("pier");
  await ingestion.settled(next.id);
  expect(next).toMatchObject({ state: "done", documents: 1 });
});

it("says that a change was cancelled when its process must be killed for it", async () => {
  const long = await longUpload();
  const next = put("mill");
  await until(() => long.documents > 0);
  process.kill(ingestion.indexerPid!, "SIGSTOP"); // a process that answers nothing
  ingestion.cancel(long.id);
  await ingestion.settled(long.id);
  expect(long.state).toBe("stopped");
  expect(long.error).toBeUndefined();
  await ingestion.settled(next.id);
  expect(next).toMatchObject({ state: "done", documents: 1 });
  expect(ingestion.status).toMatchObject({
    restarts: 0,
    lastFailure: { title: expect.stringMatching(/was cancelled/) },
  });
  expect(events()).toContain("cancelled job killed");
  expect(events()).not.toContain("indexing process ended");
});

it("cancels an upload of a million records after a small part of them", async () => {
  const records = 1_000_000;
  const packed = createGzip();
  const rows = function* (): Generator<string> {
    for (let i = 0; i < records; i += 1000) {
      yield Array.from({ length: 1000 }, (_, n) => `{"text":"bell ${(i + n) >> 3}"}\n`).join("");
    }
  };
  void Readable.from(rows()).pipe(packed);
  const job = await ingestion.upload("many.jsonl.gz", packed);
  const next = put("mill");
  await until(() => job.documents > 0);
  ingestion.cancel(job.id);
  await ingestion.settled(job.id);
  expect(job.state).toBe("stopped");
  expect(job.documents).toBeLessThan(records / 20);
  await ingestion.settled(next.id);
  expect(next).toMatchObject({ state: "done", documents: 1 });
});

it("stops within its deadline whatever the process does, and leaves no upload behind", async () => {
  const hanging = create(500);
  ingestion = hanging;
  const long = await longUpload();
  const waiting = put("mill");
  await until(() => long.documents > 0);
  process.kill(hanging.indexerPid!, "SIGSTOP"); // a process that answers nothing
  await hanging.stop();
  expect([long.state, waiting.state]).toEqual(["stopped", "stopped"]);
  expect(hanging.indexerPid).toBeUndefined();
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
});

it("ends a followed folder's first run when it is cancelled, and follows no more", async () => {
  const line = (i: number): string =>
    JSON.stringify({ id: `${i}`, text: `The bell number ${i} rings at noon. `.repeat(40) });
  writeFileSync(join(folder, "notes", "many.jsonl"), Array.from({ length: 3000 }, (_, i) => line(i)).join("\n"));
  const paths = ingestion.submit({ kind: "paths", paths: ["notes"], follow: true });
  await until(() => paths.documents > 0);
  expect(ingestion.status.following).toBe("catching-up");
  ingestion.cancel(paths.id);
  await ingestion.settled(paths.id);
  expect(paths.state).toBe("stopped");
  await until(() => ingestion.status.following === "off");
});

it("counts all of a change against the limit, and takes no upload beyond it", async () => {
  const document = { ...textDocument("a", "a word"), metadata: { field: "x".repeat(3 << 20) } };
  expect(bytesOf({ kind: "put", documents: [document] })).toBeGreaterThan(6 << 20);
  ingestion.submit({ kind: "put", documents: [document] });
  expect(() => ingestion.submit({ kind: "put", documents: [document] })).toThrow(/Too many changes/);
  await expect(upload("big.txt", "y".repeat(3 << 20))).rejects.toMatchObject({ status: 429 });
  expect((await upload("small.txt", "The harbour was dug by Ann Doe.")).state).toBe("waiting");
});

it("removes an upload that no job was made for", async () => {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunksOf("The harbour was dug by Ann Doe.");
    for (let n = 0; n < MAX_JOBS; n++) put(`mill-${n}`); // while the last chunk is written
  };
  await expect(ingestion.upload("harbour.txt", chunks())).rejects.toMatchObject({ status: 429 });
  expect(uploaded()).toEqual([]);
});

it("receives no upload whose request is refused", async () => {
  const { send } = await served({ documents: [], parts: { ingestion } });
  for (const query of ["name=big.txt&wait=maybe", "name=big.txt&wait=", "name=a/b.txt", "name=big.txt&size=3"]) {
    const response = await send("POST", `/v1/uploads?${query}`, { body: "a word", token: WRITE });
    expect(response.status, query).toBe(400);
  }
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
  expect(ingestion.openJobs).toEqual([]);
});

it("stores uploads again after the folder for them was removed", async () => {
  const temporary = join(folder, "temporary");
  const uploads = new UploadFolder(temporary);
  await uploads.store(chunksOf("a word"));
  const [first] = readdirSync(temporary);
  rmSync(join(temporary, first!), { recursive: true });
  const stored = await Promise.all(["b.txt", "c.txt"].map((content) => uploads.store(chunksOf(content))));
  expect(stored.map(({ path }) => readFileSync(path, "utf8"))).toEqual(["b.txt", "c.txt"]);
  expect(readdirSync(temporary)).toHaveLength(1);
  await uploads.close();
  expect(readdirSync(temporary)).toEqual([]);
});

it.skipIf(process.platform === "win32")(
  "stores an upload completely, or reports that the disk took only a part",
  () => {
    const temporary = join(folder, "temporary");
    const script = join(import.meta.dirname, "../../dist.test/test/faults/processes/uploader.js");
    const stored = (bytes: number): unknown => {
      rmSync(temporary, { recursive: true });
      mkdirSync(temporary);
      // the system refuses to write a file beyond 8 KiB, as it does on a full disk
      const command = 'ulimit -f 8; exec "$0" "$@"';
      const { stdout } = spawnSync("bash", ["-c", command, process.execPath, script, temporary, String(bytes)]);
      return JSON.parse(stdout.toString());
    };
    expect(stored(8_000)).toEqual({ bytes: 8_000, left: 2 });
    for (const bytes of [10_000, 60_000]) expect(stored(bytes), `${bytes}`).toEqual({ code: "out-of-space", left: 0 });
  },
);

it("takes an upload whose name has more bytes than a file name may have", async () => {
  const name = `${"議事録".repeat(60)}.txt`;
  const job = await upload(name, "The harbour was dug by Ann Doe.");
  await ingestion.settled(job.id);
  expect(job).toMatchObject({ state: "done", documents: 1 });
  expect(ingestion.status.restarts).toBe(0);
});

it.skipIf(process.platform !== "linux")("opens no file for an upload that waits for the lock", async () => {
  const first = put("mill");
  await ingestion.settled(first.id);
  const lock = await waitForLock(() => takeLock(join(folder, "index")), { signal: never, retryMs: 20 });
  const waiting = await upload("pier.txt", "The pier was built by Ada Quill.");
  await until(() => waiting.state === "running");
  await new Promise((done) => setTimeout(done, 1200)); // two tries
  const files = `/proc/${ingestion.indexerPid}/fd`;
  const open = readdirSync(files).flatMap((fd) => {
    try {
      return readlinkSync(join(files, fd));
    } catch {
      return []; // closed meanwhile
    }
  });
  expect(open.filter((path) => path.startsWith(join(folder, "temporary")))).toEqual([]);
  await lock.release();
  await ingestion.settled(waiting.id);
  expect(waiting).toMatchObject({ state: "done", documents: 1 });
});

it.skipIf(process.platform !== "linux")("reads uploads in one parser process, which stays warm", async () => {
  const parsers = (): string => {
    const tasks = `/proc/${ingestion.indexerPid}/task`;
    return readdirSync(tasks)
      .map((task) => readFileSync(join(tasks, task, "children"), "utf8").trim())
      .join("");
  };
  const first = await upload("first.txt", "The harbour was dug by Ann Doe.");
  await ingestion.settled(first.id);
  const parser = parsers();
  expect(parser).toMatch(/^\d+$/);
  const second = await upload("second.txt", "The mill was sold by Karl Voss.");
  await ingestion.settled(second.id);
  expect([first.state, second.state, parsers()]).toEqual(["done", "done", parser]);
});

it("removes uploads of servers that were killed, and none of servers that run", async () => {
  const temporary = join(folder, "temporary");
  const own = new UploadFolder(temporary);
  const stored = await own.store(chunksOf("a word"));
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const gone = join(temporary, `verbatim-uploads-${randomUUID()}`);
  mkdirSync(join(gone, "1"), { recursive: true });
  writeFileSync(join(gone, "1", "secret.txt"), "secret");
  const pidNamespace = process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : null;
  writeFileSync(join(gone, "lock"), JSON.stringify({ pid, host: hostname(), pidNamespace }));
  const other = join(temporary, "verbatim-uploads-of-a-person");
  mkdirSync(other);
  expect(await own.removeLeftovers()).toBe(1);
  expect(existsSync(gone)).toBe(false);
  expect(readFileSync(stored.path, "utf8")).toBe("a word");
  await own.close();
  expect(readdirSync(temporary)).toEqual(["verbatim-uploads-of-a-person"]);
});

it("keeps the file of an uploaded PDF exactly as long as its document", async () => {
  const settled = async (job: JobView): Promise<JobView> => {
    await ingestion.settled(job.id);
    expect(job.state).toBe("done");
    return job;
  };
  const kept = (): string[] => readdirSync(join(folder, "index", "originals"));
  const content = (): string[] =>
    kept().map((name) => readFileSync(join(folder, "index", "originals", name), "latin1"));
  const painted = pdfPages([[{ text: "The pier was painted green.", y: 700 }]]);

  await settled(await upload("notes.txt", "The harbour was dug by Ann Doe."));
  expect(existsSync(join(folder, "index", "originals"))).toBe(false);
  await settled(await upload("pier.pdf", PIER));
  expect(content()).toEqual([Buffer.from(PIER).toString("latin1")]);
  await settled(await upload("pier.pdf", PIER));
  expect(kept()).toHaveLength(1);
  await settled(await upload("pier.pdf", painted));
  expect(content()).toEqual([Buffer.from(painted).toString("latin1")]);
  const text = textDocument("pier.pdf", "The pier is gone.");
  await settled(ingestion.submit({ kind: "put", documents: [text] }));
  expect(kept()).toEqual([]);

  for (const name of ["a.pdf", "b.pdf"]) expect((await settled(await upload(name, PIER))).skipped).toEqual([]);
  const { documents, skipped } = await settled(await upload("c.pdf", PIER));
  expect({ documents, skipped }).toMatchObject({
    documents: 1,
    skipped: [{ source: "c.pdf", reason: expect.stringContaining("was indexed, but its original is not kept") }],
  });
  await settled(ingestion.submit({ kind: "delete", ids: ["a.pdf", "c.pdf"] }));
  expect(kept()).toHaveLength(1);
  await settled(ingestion.submit({ kind: "delete", ids: ["b.pdf"] }));
  expect(kept()).toEqual([]);
});

it("skips uploaded records whose ids are paths or belong to files, and says why for each", async () => {
  writeFileSync(join(folder, "notes", "a.txt"), "The observatory was founded by Ines Calder.\n");
  const paths = ingestion.submit({ kind: "paths", paths: ["notes"] });
  await ingestion.settled(paths.id);
  const ids = [
    join(folder, "notes", "new.md"),
    "C:\\notes\\new.md",
    "../up",
    "a\u0007b",
    "x".repeat(513),
    "notes/a.txt",
  ];
  const records = [...ids, "q:42", "pier"].map((id) => JSON.stringify({ id, text: `The bell ${id} rings.` }));
  const upload_ = (): Promise<JobView> => upload("new.jsonl", [...records, '{"text":"The mill was sold."}'].join("\n"));
  const job = await upload_();
  await ingestion.settled(job.id);
  expect(job).toMatchObject({ state: "done", documents: 3 });
  expect(job.skipped).toHaveLength(ids.length);
  for (const [n, { source, reason, hint }] of job.skipped.entries()) {
    expect([source, hint]).toEqual(["new.jsonl", expect.stringMatching(/^Give each /)]);
    expect(reason).toContain(
      `line ${n + 1}: has a record with the id ${JSON.stringify(ids[n]!.slice(0, 80)).slice(0, -1)}`,
    );
  }
  expect(job.skipped[0]!.reason).toMatch(/which is a path outside the working folder/);
  expect(job.skipped.at(-1)!.reason).toMatch(/which belongs to notes\/a\.txt$/);

  const index = await openIndex({ path: join(folder, "index"), modelFolder: tinyModel });
  expect(index.info.documents).toBe(4);
  expect((await index.ask("who founded the observatory?", { minConfidence: 0 })).answers[0]).toMatchObject({
    documentId: "notes/a.txt",
  });
  await index.close();
  const again = await upload_();
  await ingestion.settled(again.id);
  expect(again).toMatchObject({ state: "done", documents: 0, unchanged: 3 });
});

it("logs a merge in the background that failed, and applies the changes", async () => {
  const commits = 12; // more than make a tier
  const jobs = [put("0")];
  await ingestion.settled(jobs[0]!.id);
  const texts = join(folder, "index", "s000001.text");
  const bytes = readFileSync(texts);
  bytes[64]! ^= 1; // the first byte after the header
  writeFileSync(texts, bytes);
  while (jobs.length < commits) {
    jobs.push(put(`${jobs.length}`));
    await ingestion.settled(jobs.at(-1)!.id);
  }
  expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(["done"]));
  expect(log).toContainEqual({
    level: "warn",
    event: "merge failed",
    details: expect.objectContaining({ code: "corrupt-segment" }),
  });
});

it("counts the refused records of an upload after the first ones", async () => {
  const records = Array.from({ length: 200 }, (_, n) => JSON.stringify({ id: `/etc/${n}`, text: "a word" }));
  const job = await upload("many.jsonl", records.join("\n"));
  await ingestion.settled(job.id);
  expect(job).toMatchObject({ state: "done", documents: 0, version: null });
  expect(job.skipped).toHaveLength(21);
  expect(job.skipped.at(-1)).toMatchObject({ reason: "has 180 more records that were skipped" });
});

/** The tiny model under another name. */
function modelNamed(name: string): string {
  const copy = join(folder, name);
  cpSync(tinyModel, copy, { recursive: true });
  const file = join(copy, "model.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), name }));
  return copy;
}

const GERMAN = "Der Kessel wurde im März ersetzt, und der Klempner hat den alten für uns hinter dem Haus abgestellt.";
const ENGLISH = "The boiler was replaced in March, and the plumber left the old one behind the shed for us.";

it("notes that an upload is in a language that the index's model does not read, with the next step", async () => {
  ingestion = create(undefined, modelNamed("verbatim-en"));
  const jobs = [await upload("kessel.txt", GERMAN), await upload("boiler.txt", ENGLISH)];
  const put = ingestion.submit({ kind: "put", documents: [textDocument("kessel", GERMAN)] });
  for (const job of [...jobs, put]) await ingestion.settled(job.id);
  const note = {
    title: "The model verbatim-en reads English, and finds little in other languages (here: German).",
    hint: expect.stringContaining("verbatim index --rebuild --model multi"),
  };
  expect(jobs.map((job) => [job.state, job.documents])).toEqual([
    ["done", 1],
    ["done", 1],
  ]);
  expect([jobs[0]!.note, jobs[1]!.note, put.note]).toEqual([note, undefined, note]);
  expect(log.filter(({ level }) => level === "warn").map(({ event }) => event)).toEqual([note.title, note.title]);
});

it("notes nothing about languages that the index's model reads", async () => {
  ingestion = create(undefined, modelNamed("verbatim-multi"));
  const job = await upload("kessel.txt", GERMAN);
  await ingestion.settled(job.id);
  expect([job.state, job.note]).toEqual(["done", undefined]);
});
