import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listInputs } from "../../adapters/node/documents/walk.js";
import { isRoot, TestFolder } from "./fixtures/folder.js";

describe("listInputs", () => {
  let folder: TestFolder;
  beforeEach(() => {
    folder = new TestFolder();
  });
  afterEach(() => folder.remove());

  it("lists a folder in order, part by part, with ids relative to the working folder", async () => {
    await folder.write({ "b.md": "x", "a/z.txt": "xyz", "a/B.txt": "x", "a-b.txt": "x" });
    const { inputs, ids, skips } = await folder.list(".");
    expect(ids).toEqual(["a/B.txt", "a/z.txt", "a-b.txt", "b.md"]);
    expect(skips).toEqual([]);
    const z = inputs.find((input) => input.id === "a/z.txt")!;
    expect(z).toMatchObject({ path: join("a", "z.txt"), absolutePath: join(folder.path, "a", "z.txt"), size: 3 });
    expect(z.mtimeMs).toBeGreaterThan(0);
  });

  it("gives the same order whatever the order of the arguments, and each file once", async () => {
    await folder.write({ "a/1.txt": "x", "a/2.txt": "x", "b.txt": "x" });
    const one = await folder.list("b.txt", "a", "./a/2.txt", "a/../b.txt");
    const two = await folder.list("a/2.txt", "b.txt", "a");
    expect(one.ids).toEqual(["a/1.txt", "a/2.txt", "b.txt"]);
    expect(two.ids).toEqual(one.ids);
  });

  it("shows paths as given and makes ids outside of the working folder absolute", async () => {
    await folder.write({ "in/x.txt": "x", "out/y.txt": "x" });
    const found = [];
    for await (const input of listInputs([join(folder.path, "out")], { cwd: join(folder.path, "in"), onSkip() {} })) {
      found.push(input);
    }
    const absolute = join(folder.path, "out", "y.txt");
    expect(found).toMatchObject([{ path: absolute, id: absolute }]);
  });

  it("gives standard input last", async () => {
    await folder.write({ "a.txt": "x" });
    const { inputs } = await folder.list("-", "a.txt");
    expect(inputs.map((input) => input.absolutePath)).toEqual([join(folder.path, "a.txt"), "-"]);
    expect(inputs[1]).toMatchObject({ id: "stdin", path: "-" });
  });

  it("respects nested ignore files; the nearest decides, later kinds win", async () => {
    await folder.write({
      ".gitignore": "*.log\n/build/\n",
      ".verbatimignore": "secret.txt\n!important.log\n",
      "keep.txt": "x",
      "a.log": "x",
      "important.log": "x",
      "secret.txt": "x",
      "build/x.txt": "x",
      "sub/build/y.txt": "x",
      "sub/.ignore": "!b.log\nonly-here.txt\n",
      "sub/b.log": "x",
      "sub/c.log": "x",
      "sub/only-here.txt": "x",
      "only-here.txt": "x",
    });
    const { ids } = await folder.list(".");
    expect(ids).toEqual(["important.log", "keep.txt", "only-here.txt", "sub/b.log", "sub/build/y.txt"]);
  });

  it("respects the ignore files above a named folder inside a repository, unless they ignore that folder itself", async () => {
    await folder.write({
      ".git/HEAD": "x",
      ".gitignore": "*.tmp\nout/\n",
      "docs/a.tmp": "x",
      "docs/a.txt": "x",
      "out/b.txt": "x",
    });
    expect((await folder.list("docs")).ids).toEqual(["docs/a.txt"]);
    expect((await folder.list("out")).ids).toEqual(["out/b.txt"]);
  });

  it("skips hidden names, node_modules and an index, but reads what is named itself", async () => {
    await folder.write({
      "a.txt": "x",
      ".hidden/b.txt": "x",
      ".env": "x",
      "node_modules/m/readme.md": "x",
      "my.index/manifest-3.json": '{\n "format": "verbatim-index"\n}',
      "damaged/manifest-1.json": "??",
      "damaged/s000001.text": "x",
      "not-ours/manifest-1.json": '{"name": "web app"}',
    });
    const { ids, skips } = await folder.list(".");
    expect(ids).toEqual(["a.txt", "not-ours/manifest-1.json"]);
    expect(skips).toEqual([]);
    expect((await folder.list(".hidden", ".env")).ids).toEqual([".env", ".hidden/b.txt"]);
    const named = await folder.list("my.index");
    expect(named.ids).toEqual([]);
    expect(named.skips).toMatchObject([{ source: "my.index", reason: expect.stringContaining("index of Verbatim") }]);
  });

  it("skips what programs leave in folders without a line, but reads what is named itself", async () => {
    const left = ["~$letter.docx", "desktop.ini", "Thumbs.db", "page.url", ".~lock.letter.odt#", ".DS_Store"];
    await folder.write({
      ...Object.fromEntries([...left, ...left.map((name) => `sub/${name}`)].map((name) => [name, "x"])),
      "letter.docx": "x",
      "sub/url": "x",
    });
    for (const path of [".", "{*,sub/*}"]) {
      const { ids, skips } = await folder.list(path);
      expect(ids).toEqual(["letter.docx", "sub/url"]);
      expect(skips).toEqual([]);
    }
    const named = await folder.list(...left);
    expect(named.ids.sort()).toEqual([...left].sort());
  });

  it("expands globs, with the same rules as folders", async () => {
    await folder.write({
      ".gitignore": "ignored.md\n",
      "notes/a.md": "x",
      "notes/b.txt": "x",
      "notes/deep/c.md": "x",
      "notes/ignored.md": "x",
      "notes/node_modules/d.md": "x",
      "other/e.md": "x",
    });
    expect((await folder.list("notes/**/*.md")).ids).toEqual(["notes/a.md", "notes/deep/c.md", "notes/ignored.md"]);
    await folder.write({ "notes/.gitignore": "ignored.md\n" });
    expect((await folder.list("notes/**/*.md")).ids).toEqual(["notes/a.md", "notes/deep/c.md"]);
    expect((await folder.list("{notes,other}/*.md")).ids).toEqual(["notes/a.md", "other/e.md"]);
    await folder.write({ "Docs (old)/f.md": "x" });
    expect((await folder.list("Docs (old)/*.md")).ids).toEqual(["Docs (old)/f.md"]);
    expect((await folder.list("{Docs (old),other}/*.md")).ids).toEqual(["Docs (old)/f.md", "other/e.md"]);
    expect((await folder.list("@(notes|other)/*.md")).ids).toEqual(["notes/a.md", "other/e.md"]);
    expect((await folder.list("{notes/deep,other}/*.md")).ids).toEqual(["notes/deep/c.md", "other/e.md"]);
    const { ids, skips } = await folder.list("*.pdf");
    expect(ids).toEqual([]);
    expect(skips).toMatchObject([{ source: "*.pdf", reason: "matches no file", hint: expect.any(String) }]);
  });

  it("takes a name with glob characters for a name when it exists", async () => {
    await folder.write({ "a[1].txt": "x", "a1.txt": "x" });
    expect((await folder.list("a[1].txt")).ids).toEqual(["a[1].txt"]);
  });

  it("says what does not exist, and continues", async () => {
    await folder.write({ "a.txt": "x" });
    const { ids, skips } = await folder.list("missing.txt", "a.txt");
    expect(ids).toEqual(["a.txt"]);
    expect(skips).toEqual([
      { source: "missing.txt", code: "unreadable-document", reason: "does not exist", hint: "Check the path." },
    ]);
  });

  it("gives nothing for an empty folder", async () => {
    expect(await folder.list(".")).toEqual({ inputs: [], ids: [], skips: [] });
  });

  it("stops symlink loops and links out of the folder, follows links inside once and last", async () => {
    const outside = await new TestFolder().write({ "private.txt": "x", "dir/p.txt": "x" });
    await folder.write({ "a/real.txt": "x", "a/deep/x.txt": "x", ".store/kept.txt": "x" });
    await symlink("..", join(folder.path, "a", "up"));
    await symlink("loop", join(folder.path, "loop"));
    await symlink(join(outside.path, "private.txt"), join(folder.path, "leak.txt"));
    await symlink(join(outside.path, "dir"), join(folder.path, "leak"));
    await symlink("nowhere", join(folder.path, "broken"));
    await symlink("a/real.txt", join(folder.path, "0-alias.txt"));
    await symlink("a/deep", join(folder.path, "0-alias-folder"));
    await symlink(".store/kept.txt", join(folder.path, "0-kept.txt"));
    const { ids, skips } = await folder.list(".");
    expect(ids).toEqual(["a/deep/x.txt", "a/real.txt", "0-kept.txt"]);
    expect(Object.fromEntries(skips.map((skip) => [skip.source, skip.reason]))).toEqual({
      "a/up": "is a symlink loop",
      loop: "is a symlink loop",
      "leak.txt": "is a symlink that leaves the folder",
      leak: "is a symlink that leaves the folder",
      broken: "is a symlink that points to nothing",
    });
    const named = await folder.list("leak.txt", "leak", "loop", "broken");
    expect(named.ids).toEqual(["leak/p.txt", "leak.txt"]);
    expect(named.skips.map((skip) => [skip.source, skip.reason])).toEqual([
      ["broken", "is a symlink that points to nothing"],
      ["loop", "is a symlink loop"],
    ]);
    outside.remove();
  });

  it("ends on two folders that link to each other", async () => {
    await folder.write({ "a/1.txt": "x", "b/2.txt": "x" });
    await symlink("../b", join(folder.path, "a", "to-b"));
    await symlink("../a", join(folder.path, "b", "to-a"));
    expect((await folder.list(".")).ids).toEqual(["a/1.txt", "b/2.txt"]);
    expect((await folder.list("a")).ids).toEqual(["a/1.txt"]);
  });

  it.skipIf(isRoot)("says which folder may not be listed, and continues", async () => {
    await folder.write({ "closed/x.txt": "x", "open.txt": "x" });
    await chmod(join(folder.path, "closed"), 0);
    const { ids, skips } = await folder.list(".");
    await chmod(join(folder.path, "closed"), 0o700);
    expect(ids).toEqual(["open.txt"]);
    expect(skips).toMatchObject([{ source: "closed", code: "permission-denied" }]);
  });

  it("stops at the signal", async () => {
    await folder.write({ "a.txt": "x", "b.txt": "x" });
    const stop = new AbortController();
    const seen: string[] = [];
    const run = async () => {
      for await (const input of listInputs(["."], { cwd: folder.path, signal: stop.signal, onSkip() {} })) {
        seen.push(input.id);
        stop.abort();
      }
    };
    await expect(run()).rejects.toMatchObject({ code: "aborted" });
    expect(seen).toEqual(["a.txt"]);
  });

  it("lists names that are odd: spaces, other scripts, emoji, a leading dash", async () => {
    await mkdir(join(folder.path, "мои файлы"));
    await writeFile(join(folder.path, "мои файлы", "😀 -.txt"), "x");
    await folder.write({ "-": "x", "--help": "x" });
    const { inputs } = await folder.list(".");
    expect(inputs.map((input) => input.id)).toEqual(["-", "--help", "мои файлы/😀 -.txt"]);
    expect(inputs[0]!.absolutePath).toBe(join(folder.path, "-"));
  });

  it("skips files that may hold secrets, with a line, unless they are named", async () => {
    const folder = await new TestFolder().write({
      id_rsa: "x",
      "prod.env": "x",
      "notes.md": "x",
      "tls/server.pem": "x",
    });
    const { ids, skips } = await folder.list(".");
    expect(ids).toEqual(["notes.md"]);
    expect(skips.map(({ source }) => source)).toEqual(["id_rsa", "prod.env", "tls/server.pem"]);
    expect(skips[0]).toMatchObject({ reason: "may hold keys or passwords, judging by its name" });
    expect((await folder.list("prod.env")).ids).toEqual(["prod.env"]);
    folder.remove();
  });
});
