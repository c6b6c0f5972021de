import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PathRedactor } from "./path-redactor.js";

const cwd = "/home/ann/project";
const redactor = (...served: string[]): PathRedactor => new PathRedactor(served, { cwd });

describe("public ids", () => {
  it("show of a file in a served folder only what is below the folder", () => {
    const names = redactor("/data/notes", "/data/scan.pdf", `${cwd}/docs`);
    expect(names.redact("/data/notes/a/b.md")).toBe("notes/a/b.md");
    expect(names.redact("/data/notes")).toBe("notes");
    expect(names.redact("/data/scan.pdf")).toBe("scan.pdf");
    expect(names.redact("docs/a.md")).toBe("docs/a.md");
    expect(names.redact("/data/notes-2/b.md")).toMatch(/^elsewhere\/[0-9a-f]{16}\/b\.md$/);
    expect(names.redact("C:\\Users\\ann\\b.md")).toMatch(/^elsewhere\/[0-9a-f]{16}\/b\.md$/);
    expect(names.redact("../secret/b.md")).toMatch(/^elsewhere\/[0-9a-f]{16}\/b\.md$/);
    expect(names.redact("/data/notes/../secret/b.md")).toMatch(/^elsewhere\/[0-9a-f]{16}\/b\.md$/);
  });

  it.each<[string, string[], string[]]>([
    ["two folders", ["/a/notes", "/b/notes"], ["a/notes", "b/notes"]],
    ["folders with equal parents", ["/x/a/notes", "/y/a/notes"], ["x/a/notes", "y/a/notes"]],
    ["a folder at the top", ["/notes", "/b/notes"], ["root/notes", "b/notes"]],
    [
      "a name that begins with another one",
      ["/a/notes", "/b/notes/sub", "/c/sub"],
      ["a/notes", "b/notes/sub", "c/sub"],
    ],
    ["a folder in the working folder", ["notes", "/b/notes"], ["notes", "b/notes"]],
    ["the name for other files", ["/a/elsewhere"], ["a/elsewhere"]],
    ["one folder, named twice", ["/a/notes", "/a/notes/"], ["notes", "notes"]],
    ["a folder in another one", ["/a/notes", "/a/notes/sub"], ["notes", "notes/sub"]],
  ])("distinguish %s of the same name by the folders around them", (_, served, expected) => {
    const names = redactor(...served);
    const shown = served.map((path) =>
      names.redact(path.startsWith("/") ? `${path.replace(/\/$/, "")}/x` : `${path}/x`),
    );
    expect(shown).toEqual(expected.map((name) => `${name}/x`));
    const reversed = redactor(...[...served].reverse());
    expect(served.map((path) => reversed.redact(path))).toEqual(served.map((path) => names.redact(path)));
  });

  it("distinguish a relative id that begins like the name of a served folder", () => {
    const names = redactor("/data/notes");
    expect(names.redact("notes/a.md")).toBe("./notes/a.md");
    expect(names.redact("./notes/a.md")).toBe("././notes/a.md");
    expect(names.redact("elsewhere/a.md")).toBe("./elsewhere/a.md");
    expect(names.redact("notes.md")).toBe("notes.md");
  });

  it("differ for different ids, whatever is served", () => {
    const part = fc.constantFrom("a", "b", "notes", "sub", "root", "elsewhere", ".", "..", "project", "x.md");
    const relative = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    const absolute = fc
      .tuple(fc.constantFrom("/", "/home/ann/", "/home/ann/project/", "/a/", "/b/"), relative)
      .map((parts) => parts.join(""));
    const ids = fc.uniqueArray(fc.oneof(relative, absolute), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.oneof(relative, absolute), { maxLength: 5 }), ids, (served, given) => {
        const names = redactor(...served);
        expect(new Set(given.map((id) => names.redact(id))).size).toBe(given.length);
      }),
      { seed: 20261203, numRuns: 3000 },
    );
  });
});

describe("public sources", () => {
  it("are those of the file, however its path was written", () => {
    const names = redactor("/home/ann/notes", `${cwd}/docs`);
    expect(names.redactSource("../notes/a.md")).toBe("notes/a.md");
    expect(names.redactSource("/home/ann/notes/a.md")).toBe("notes/a.md");
    expect(names.redactSource("docs/../../notes/a.md")).toBe("notes/a.md");
    expect(names.redactSource(`${cwd}/docs/a.md`)).toBe("docs/a.md");
    expect(names.redactSource("./docs/a.md")).toBe("./docs/a.md");
    expect(names.redactSource(cwd)).toBe(".");
    expect(names.redactSource("../secret/plans/a.md")).toMatch(/^elsewhere\/[0-9a-f]{16}\/a\.md$/);
  });

  it("are unchanged where they are not paths of this machine", () => {
    const names = redactor("/data/notes");
    for (const source of ["https://docs.example/a/../b", "Letter to Ann, 1911", "notes/a.md", "a.b"])
      expect(names.redactSource(source)).toBe(source);
  });
});

it("the folder of a document is that of its public id", () => {
  const names = redactor("/a/notes", "/b/notes");
  const metadata = { "file.folder": "/b/notes/sub", year: 1890 };
  expect(names.redactMetadata(metadata)).toEqual({ "file.folder": "b/notes/sub", year: 1890 });
  expect(names.redactMetadata({ "file.folder": "." })).toEqual({ "file.folder": "." });
});
