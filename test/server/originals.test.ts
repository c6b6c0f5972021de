/** The layout and the original file of a document: what is sent, and what is not. */

import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KeptOriginals } from "../../adapters/node/storage/kept-originals.js";
import { OriginalFiles } from "../../adapters/server/original-files.js";
import { documentContentHash } from "../../src/index/format/content-hash.js";
import type { Document } from "../../src/types.js";
import { ASK, problemOf, type Served, served } from "./served.js";

const FIRST = "The pier was built by Ada Quill.";
const TEXT = `${FIRST}\n\nIt was painted green in 1931.`;
const BYTES = "%PDF-1.4 the bytes of the file";

function pdf(id: string, source: string, metadata: Document["metadata"] = { "file.folder": "." }): Document {
  const segments = [
    { start: 0, page: 1 },
    { start: FIRST.length + 2, page: 2 },
  ];
  return { id, title: id, text: TEXT, source, map: { kind: "pdf", segments }, metadata };
}

let folder: string;
let server: Served;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "verbatim-originals-"));
  const served_ = join(folder, "served");
  mkdirSync(served_);
  writeFileSync(join(served_, "pier.pdf"), BYTES);
  writeFileSync(join(folder, "private.pdf"), BYTES);
  symlinkSync(join(folder, "private.pdf"), join(served_, "link.pdf"));
  mkdirSync(join(served_, "folder.pdf"));
  const uploads = new KeptOriginals(join(folder, "originals"));
  const kept = pdf("kept", "kept.pdf", {});
  const [contentHash, other] = [documentContentHash(kept), documentContentHash({ ...kept, text: "An earlier text." })];
  await uploads.keep({ id: "kept", contentHash }, join(folder, "private.pdf"), { maxBytes: 1000 });
  await uploads.keep({ id: "replaced", contentHash: other }, join(folder, "private.pdf"), { maxBytes: 1000 });
  const names = ["pier.pdf", "../private.pdf", "link.pdf", "folder.pdf", "gone.pdf"];
  server = await served({
    documents: [
      ...names.map((name, i) => pdf(`document-${i}`, name)),
      pdf("absolute", join(folder, "private.pdf")),
      pdf("uploaded", "pier.pdf", {}),
      pdf("replaced", "kept.pdf", {}),
      kept,
      {
        id: "note",
        title: "note",
        text: FIRST,
        source: "pier.pdf",
        map: { kind: "text", segments: [] },
        metadata: { "file.folder": "." },
      },
    ],
    parts: { originals: new OriginalFiles([], served_, { uploads }) },
    withTokens: true,
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const get = (id: string, rest: string): Promise<Response> =>
  server.send("GET", `/v1/documents/${id}/${rest}`, { token: ASK });

it("the layout names the pages of a part of the text, each with its range", async () => {
  const page = { page: 2, start: FIRST.length + 2, end: TEXT.length };
  expect(await (await get("document-0", `layout?from=${FIRST.length + 5}`)).json()).toEqual({
    kind: "pdf",
    original: true,
    pages: [page],
    boxes: [],
  });
  const { pages } = (await (await get("document-0", "layout?from=3&to=50")).json()) as { pages: unknown[] };
  expect(pages).toEqual([{ page: 1, start: 0, end: FIRST.length + 2 }, page]);
});

it("the original of a PDF in a served folder is sent as it is", async () => {
  const response = await get("document-0", "original");
  expect(await response.text()).toBe(BYTES);
  expect(response.headers.get("Content-Type")).toBe("application/pdf");
  expect(response.headers.get("Content-Disposition")).toBe("attachment");
  expect(response.headers.get("Content-Length")).toBe(String(BYTES.length));
});

it.skipIf(process.platform !== "linux")("HEAD returns the headers and leaves no file open", async () => {
  const isOpen = (descriptor: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith("served/pier.pdf");
    } catch {
      return false; // closed meanwhile
    }
  };
  for (let i = 0; i < 5; i++) {
    const response = await server.send("HEAD", "/v1/documents/document-0/original", { token: ASK });
    expect([response.status, response.body]).toEqual([200, null]);
    expect(response.headers.get("Content-Type")).toBe("application/pdf");
    expect(response.headers.get("Content-Length")).toBe(String(BYTES.length));
  }
  expect(readdirSync("/proc/self/fd").filter(isOpen)).toEqual([]);
});

it("the original of a PDF that was uploaded is sent if it was kept", async () => {
  expect(await (await get("kept", "layout")).json()).toMatchObject({ kind: "pdf", original: true });
  expect(await (await get("kept", "original")).text()).toBe(BYTES);
});

it.each([
  ["outside of the served folders", "document-1"],
  ["that a symbolic link leads out of them to", "document-2"],
  ["that is a folder", "document-3"],
  ["that is gone", "document-4"],
  ["with an absolute path outside of them", "absolute"],
  ["with the name of an upload", "uploaded"],
  ["of an earlier version of an upload", "replaced"],
  ["that was indexed as another format", "note"],
])("a file %s is not sent", async (_, id) => {
  expect(await (await get(id, "layout")).json()).toMatchObject({ original: false });
  const response = await get(id, "original");
  expect(response.status).toBe(404);
  expect((await problemOf(response)).code).toBe("no-original");
});

it("both need the scope ask, and a document that exists", async () => {
  for (const path of ["layout", "original"]) {
    expect((await server.send("GET", `/v1/documents/document-0/${path}`)).status).toBe(401);
    expect((await get("unknown", path)).status).toBe(404);
  }
});

it("the overview lists the documents that callers may see, by their public names", async () => {
  expect((await server.send("GET", "/v1/overview")).status).toBe(401);
  const overview = await (await server.send("GET", "/v1/overview", { token: ASK })).json();
  expect(overview).toMatchObject({ documents: 10, folders: [{ folder: "", documents: 10 }] });
  expect(JSON.stringify(overview)).not.toContain(folder);
});
