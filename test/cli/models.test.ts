/** The choice of a model for an index, with two installed ones that differ only in name and hash. */

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { indexPaths, openIndex, openWriter, watchPaths } from "../../adapters/node/index.js";
import { held } from "./held.js";
import { type CliRun, projectRoot, temporaryFolder, tinyModel, verbatim as verbatimWith } from "./run-cli.js";

const ENGLISH = "The boiler was replaced in March, and the plumber left the old one behind the shed for us.\n";
const GERMAN = "Der Kessel wurde im März ersetzt, und der Klempner hat den alten für uns hinter dem Haus abgestellt.\n";

const tinyReader = join(projectRoot, "test", "golden", "tiny-reader");

let cwd: string;

/** Runs a command without the model that other tests name. */
const verbatim = (args: readonly string[], stdin = ""): Promise<CliRun> =>
  verbatimWith(args, { cwd, stdin, env: { VERBATIM_MODEL: "" } });

async function install(name: string, passageModelHash: string): Promise<void> {
  const folder = join(cwd, "models", name);
  await cp(tinyModel, folder, { recursive: true });
  const model = JSON.parse(await readFile(join(folder, "model.json"), "utf8")) as object;
  await writeFile(join(folder, "model.json"), JSON.stringify({ ...model, name, passageModelHash }));
}

/** A reader that was trained with the vocabulary whose file has this hash. */
async function installReader(name: string, vocabularySha256: string): Promise<void> {
  const folder = join(cwd, "models", name);
  await cp(tinyReader, folder, { recursive: true });
  const reader = JSON.parse(await readFile(join(folder, "model.json"), "utf8")) as object;
  await writeFile(join(folder, "model.json"), JSON.stringify({ ...reader, name, vocabularySha256 }));
}

async function write(folder: string, texts: readonly string[]): Promise<void> {
  await mkdir(join(cwd, folder), { recursive: true });
  await Promise.all(texts.map((text, i) => writeFile(join(cwd, folder, `${String(i).padStart(3, "0")}.txt`), text)));
}

interface Summary {
  total: { model: string; documents: number };
  languages: Record<string, number>;
}

const summaryOf = (run: CliRun): Summary => {
  expect(run).toMatchObject({ status: 0 });
  return JSON.parse(run.stdout) as Summary;
};

beforeEach(async () => {
  cwd = await temporaryFolder();
  vi.stubEnv("VERBATIM_MODELS", join(cwd, "models"));
  await install("verbatim-en", "a".repeat(64));
  await install("verbatim-multi", "b".repeat(64));
});
afterEach(() => vi.unstubAllEnvs());

it("repair finds the model of an index without a manifest in its segments", async () => {
  await write("notes", [GERMAN]);
  await verbatim(["index", "notes", "--level", "lexical", "--quiet"]);
  await rm(join(cwd, ".verbatim", "manifest-1.json"));
  const wrong = await verbatim(["repair", "--model", "en"]);
  expect(wrong.status).toBe(3);
  expect(wrong.stderr).toMatch(/was not made with the model verbatim-en\.\n {2}hint: .*--model NAME/);
  expect((await verbatim(["repair"])).stdout).toMatch(/is repaired: 1 document \(version 1\)\.\n$/);
  expect(JSON.parse((await verbatim(["info", "--json"])).stdout)).toMatchObject({ model: "verbatim-multi" });
});

describe("a new index", () => {
  it("gets the English model for English documents, and says so", async () => {
    await write("notes", [ENGLISH, ENGLISH]);
    const run = await verbatim(["index", "notes"]);
    expect(run.stdout).toMatch(/now holds 2 documents, .+, model verbatim-en\.\n$/);
    expect((await verbatim(["info"])).stdout).toMatch(/^model +verbatim-en \(a{12}\)$/m);
  });

  it("gets the multilingual model for documents in another language, and is asked with it", async () => {
    await write("notes", [GERMAN, ENGLISH]);
    const summary = summaryOf(await verbatim(["index", "notes", "--json"]));
    expect(summary).toMatchObject({ languages: { de: 1, en: 1 }, total: { model: "verbatim-multi", documents: 2 } });
    const { stdout } = await verbatim(["index", "notes", "--index", "again"]);
    expect(stdout).toMatch(/, model verbatim-multi\.\nLanguages of the new documents: German 1, English 1\.\n$/);
    expect(await verbatim(["ask", "Kessel", "--min-confidence", "0"])).toMatchObject({ status: 0 });
    const info = JSON.parse((await verbatim(["info", "--json"])).stdout) as object;
    expect(info).toMatchObject({ model: "verbatim-multi", reader: null });
  });

  it("says which documents are in a language that the multilingual model was not made for", async () => {
    const finnish =
      "Kattila vaihdettiin maaliskuussa, ja putkimies jätti vanhan meille talon taakse. Se on ollut siellä siitä " +
      "lähtien, koska emme ole vielä päättäneet, mitä sille pitäisi tehdä ennen kuin talvi tulee.\n";
    await write("notes", [finnish, GERMAN]);
    const { stdout } = await verbatim(["index", "notes"]);
    expect(stdout).toMatch(
      /Languages of the new documents: German 1, other 1\. The model verbatim-multi was not made for the 1 in other/,
    );
    expect(await verbatim(["ask", "kattila", "--min-confidence", "0"])).toMatchObject({ status: 0 });
  });

  it("gets the English model if one document in forty is in another language, and mentions it", async () => {
    await write("notes", [GERMAN, ...new Array<string>(39).fill(ENGLISH)]);
    const { stdout } = await verbatim(["index", "notes"]);
    expect(stdout).toMatch(/model verbatim-en\.\nLanguages of the new documents: English 39, German 1\. /);
  });

  it("gets the multilingual model if the other languages come last, and says how many documents it looked at", async () => {
    await write("a", [...new Array<string>(89).fill(ENGLISH), "if (x) { y = 1; }\n"]);
    await write("b", new Array<string>(10).fill(GERMAN));
    expect(summaryOf(await verbatim(["index", "a", "b", "--level", "lexical", "--json"]))).toMatchObject({
      total: { model: "verbatim-multi", documents: 100 },
    });
    const { stdout } = await verbatim(["index", "a", "b", "--index", "full"]);
    expect(stdout).toContain("Languages of 99 of 100 new documents: English 89, German 10.");
  });

  it("reads standard input for the choice and indexes all of it", async () => {
    const records = Array.from({ length: 90 }, (_, i) => JSON.stringify({ id: `r${i}`, text: GERMAN }));
    const run = await verbatim(["index", "-", "--format", "jsonl", "--json", "--level", "lexical"], records.join("\n"));
    expect(summaryOf(run)).toMatchObject({ languages: { de: 90 }, total: { model: "verbatim-multi", documents: 90 } });
  });

  it("gets the English model for code", async () => {
    await write("code", ["for (const des of die) if (des in la) un(el, de);\n".repeat(20)]);
    expect(summaryOf(await verbatim(["index", "code", "--json"]))).toMatchObject({
      languages: {},
      total: { model: "verbatim-en" },
    });
  });

  it("gets its model from watchPaths too, which opens it", async () => {
    await write("notes", [GERMAN]);
    const stop = new AbortController();
    const onRound = (): void => stop.abort();
    await watchPaths(["notes"], { index: join(cwd, ".verbatim"), cwd, signal: stop.signal, onRound });
    expect(JSON.parse((await verbatim(["info", "--json"])).stdout)).toMatchObject({
      model: "verbatim-multi",
      documents: 1,
    });
  });

  it("gets the model that --model names, whatever the language", async () => {
    await write("notes", [ENGLISH]);
    expect(summaryOf(await verbatim(["index", "notes", "--model", "multi", "--json"]))).toMatchObject({
      total: { model: "verbatim-multi" },
    });
    expect(summaryOf(await verbatim(["index", "notes", "--model", tinyModel, "--index", "b", "--json"]))).toMatchObject(
      {
        total: { model: "tiny-random" },
      },
    );
  });
});

describe("an index", () => {
  beforeEach(async () => {
    await write("notes", [ENGLISH]);
    await verbatim(["index", "notes", "--quiet"]);
  });

  it("keeps its model when documents in another language are added, and says what to do, once", async () => {
    await write("notes", [ENGLISH, GERMAN, GERMAN]);
    const { stdout } = await verbatim(["index", "notes"]);
    expect(stdout.match(/Languages of the new documents: .*/g)).toEqual([
      "Languages of the new documents: German 2. The model verbatim-en reads English and finds " +
        "little in other languages. To ask about those, change the model, which encodes everything again: " +
        "verbatim index notes --model multi --rebuild --index ./.verbatim",
    ]);
    expect((await verbatim(["index", "notes"])).stdout).not.toContain("Languages");
  });

  it.each([
    ["ask", ["ask", "boiler", "--model", "multi"]],
    ["quote", ["quote", "the plumber left", "--model", "multi"]],
  ])("is refused with the other model: %s", async (_, args) => {
    const run = await verbatim(args);
    expect(run).toMatchObject({ status: 3, stdout: "" });
    expect(run.stderr).toMatch(
      /made with model verbatim-en, but model verbatim-multi is loaded.*\n.*with the model that made/,
    );
  });

  it("is not changed by --model alone: the error has the command that changes it", async () => {
    const run = await verbatim(["index", "notes", "it's/*.md", "--model", "multi", "--index", ".verbatim/"]);
    expect(run).toMatchObject({ status: 3, stdout: "" });
    expect(run.stderr).toMatch(/The index was made with verbatim-en, not /);
    expect(run.stderr).toContain("verbatim index notes 'it'\\''s/*.md' --model multi --rebuild --index .verbatim/");
  });

  it("is refused if its model is another version than the installed one", async () => {
    await install("verbatim-en", "c".repeat(64));
    const run = await verbatim(["ask", "boiler"]);
    expect(run.status).toBe(3);
    expect(run.stderr).toMatch(/made with another version of the model \(verbatim-en\).*\n.*--rebuild/);
    const rebuilt = await verbatim(["index", "notes", "--rebuild"]);
    expect(rebuilt.stdout).toMatch(/^Encoded 1 document again with verbatim-en\.\n/);
    expect(await verbatim(["ask", "boiler", "--min-confidence", "0"])).toMatchObject({ status: 0 });
  });

  it("of a multilingual model cannot be published as a site, and the error says what to do", async () => {
    await write("texte", [GERMAN]);
    await verbatim(["index", "texte", "--index", "german", "--quiet"]);
    const file = join(cwd, "models", "verbatim-multi", "model.json");
    const model = JSON.parse(await readFile(file, "utf8")) as { files: Record<string, unknown> };
    const { "vocab.txt": vocabulary, ...files } = model.files;
    await writeFile(file, JSON.stringify({ ...model, files: { ...files, "vocab.unigram": vocabulary } }));
    await cp(
      join(cwd, "models", "verbatim-multi", "vocab.txt"),
      join(cwd, "models", "verbatim-multi", "vocab.unigram"),
    );
    const run = await verbatim(["publish", "--index", "german", "--out", "site"]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toMatch(/An index of the model verbatim-multi cannot be published as a site\..*\n?.*--model en/);
    await expect(readFile(join(cwd, "site", "index.html"))).rejects.toThrow(/ENOENT/);
  });

  it("is opened by the library with its model, and kept by its writer", async () => {
    await write("texte", [GERMAN]);
    await verbatim(["index", "texte", "--index", "german", "--quiet"]);
    const writer = await openWriter({ path: join(cwd, "german") });
    await writer.add({ id: "b", text: ENGLISH });
    await writer.commit();
    await writer.close();
    const index = await openIndex({ path: join(cwd, "german") });
    expect(index.info.documents).toBe(2);
    await index.close();
    await expect(openIndex({ path: join(cwd, "german"), model: "en" })).rejects.toMatchObject({
      code: "model-mismatch",
    });
  });
});

describe("--rebuild", () => {
  const LEVELS = ["full", "thin", "lexical"];
  const answersOf = async (index: string): Promise<unknown> => {
    const run = await verbatim(["ask", "Kessel", "--index", index, "--min-confidence", "0", "--json"]);
    expect(run).toMatchObject({ status: 0 });
    return JSON.parse(run.stdout).answers;
  };

  it.each(LEVELS)("changes the model of an index of level %s, which then is as a new one", async (level) => {
    await write("notes", [ENGLISH, GERMAN]);
    const fields = ["--field", "owner=ana"];
    await verbatim(["index", "notes", "--model", "en", "--level", level, ...fields, "--quiet"]);
    await verbatim(["index", "notes", "--model", "multi", "--level", level, ...fields, "--index", "new", "--quiet"]);
    const before = await held(join(cwd, ".verbatim"));
    const run = await verbatim(["index", "notes", "--model", "multi", "--rebuild", ...fields]);
    expect(run).toMatchObject({ status: 0 });
    expect(run.stdout).toMatch(
      /^Encoded 2 documents again with verbatim-multi\.\nIndexed 0 .+; 2 documents unchanged\./,
    );
    expect(run.stdout).toMatch(/model verbatim-multi\.$/m);
    expect(await held(join(cwd, ".verbatim"))).toEqual(before);
    expect(JSON.parse((await verbatim(["info", "--json"])).stdout)).toMatchObject({ level, model: "verbatim-multi" });
    expect(await answersOf(".verbatim")).toEqual(await answersOf("new"));
    expect(await verbatim(["check"])).toMatchObject({ status: 0 });
    const again = await verbatim(["index", "notes", "--rebuild", ...fields]);
    expect(again.stdout).toMatch(/^Indexed 0 documents/);
  });

  it("keeps documents whose files are gone, leaves out deleted ones, and indexes what is new", async () => {
    await write("notes", [ENGLISH, GERMAN, ENGLISH]);
    await verbatim(["index", "notes", "--model", "en", "--quiet"]);
    await rm(join(cwd, "notes", "001.txt"));
    await verbatim(["delete", "notes/002.txt"]);
    await rm(join(cwd, "notes", "002.txt"));
    await writeFile(join(cwd, "notes", "003.txt"), ENGLISH);
    const run = await verbatim(["index", "notes", "--model", "multi", "--rebuild", "--json"]);
    expect(summaryOf(run)).toMatchObject({
      rebuilt: 2,
      documents: 1,
      total: { model: "verbatim-multi", documents: 3 },
    });
    expect(Object.keys(await held(join(cwd, ".verbatim"))).sort()).toEqual(
      ["000", "001", "003"].map((name) => `notes/${name}.txt`),
    );
  });

  it("needs no path, for an index of documents without files", async () => {
    await write("notes", [GERMAN]);
    await verbatim(["index", "notes", "--model", "en", "--quiet"]);
    await rm(join(cwd, "notes"), { recursive: true });
    const run = await verbatim(["index", "--rebuild", "--model", "multi"]);
    expect(run).toMatchObject({ status: 0 });
    expect(run.stdout).toMatch(/^Encoded 1 document again with verbatim-multi\.\n.*now holds 1 document, /);
    expect(await verbatim(["index", "--rebuild"])).toMatchObject({ status: 0 });
    const none = await verbatim(["index", "--rebuild", "--index", "none"]);
    expect(none).toMatchObject({ status: 3, stdout: "" });
    expect(none.stderr).toMatch(/There is no index in none/);
  });

  it("makes a new index as without it", async () => {
    await write("notes", [GERMAN]);
    expect(summaryOf(await verbatim(["index", "notes", "--rebuild", "--json"]))).toMatchObject({
      rebuilt: 0,
      total: { model: "verbatim-multi", documents: 1 },
    });
  });

  it("leaves the index as it was when it is stopped", async () => {
    await write("notes", new Array<string>(40).fill(ENGLISH));
    await verbatim(["index", "notes", "--model", "en", "--quiet"]);
    const before = await readdir(join(cwd, ".verbatim"));
    const controller = new AbortController();
    const options = { index: join(cwd, ".verbatim"), cwd, model: "multi", rebuild: true } as const;
    const { stopped, rebuilt, total } = await indexPaths(["notes"], {
      ...options,
      signal: controller.signal,
      onRebuild: ({ documents }) => documents >= 3 && controller.abort(),
    });
    expect({ stopped, rebuilt, total }).toMatchObject({
      stopped: true,
      rebuilt: 0,
      total: { model: "verbatim-en", documents: 40 },
    });
    expect((await readdir(join(cwd, ".verbatim"))).sort()).toEqual(before.sort());
    expect(await indexPaths(["notes"], options)).toMatchObject({ rebuilt: 40, unchanged: 40, stopped: false });
  });

  it("leaves open indexes at the version before, which a refresh then says", async () => {
    await write("notes", [ENGLISH]);
    await verbatim(["index", "notes", "--quiet"]);
    const index = await openIndex({ path: join(cwd, ".verbatim") });
    await verbatim(["index", "notes", "--model", "multi", "--rebuild", "--quiet"]);
    await expect(index.refresh()).rejects.toMatchObject({ code: "model-mismatch" });
    expect((await index.ask("boiler", { minConfidence: 0 })).answers).not.toHaveLength(0);
    await index.close();
  });

  it("is refused for a cluster", async () => {
    const run = await verbatim(["index", "notes", "--rebuild", "--to", "opensearch://localhost:1/notes"]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toMatch(/keeps its model/);
  });
});

describe("a reader", () => {
  const readerOf = async (index: string): Promise<unknown> =>
    JSON.parse((await verbatim(["info", "--index", index, "--json"])).stdout).reader;

  it("is used with the model that has its vocabulary, whatever their names", async () => {
    const file = join(cwd, "models", "verbatim-multi", "model.json");
    const model = JSON.parse(await readFile(file, "utf8")) as { files: Record<string, { bytes: number }> };
    const vocabulary = join(cwd, "models", "verbatim-multi", "vocab.txt");
    await writeFile(vocabulary, (await readFile(vocabulary, "utf8")).replace("observatory", "Observatory"));
    const sha256 = createHash("sha256")
      .update(await readFile(vocabulary))
      .digest("hex");
    const files = { ...model.files, "vocab.txt": { bytes: model.files["vocab.txt"]!.bytes, sha256 } };
    await writeFile(file, JSON.stringify({ ...model, files }));
    const { vocabularySha256 } = JSON.parse(await readFile(join(tinyReader, "model.json"), "utf8"));
    await installReader("verbatim-reader-en", vocabularySha256);
    await installReader("verbatim-reader-multi", sha256);
    await write("notes", [ENGLISH]);
    await write("texte", [GERMAN]);
    await verbatim(["index", "notes", "--index", "english", "--quiet"]);
    await verbatim(["index", "texte", "--index", "german", "--quiet"]);
    expect(await readerOf("english")).toBe("verbatim-reader-en");
    expect(await readerOf("german")).toBe("verbatim-reader-multi");

    const asked = await verbatim(["ask", "Kessel", "--index", "german", "--reader", "on", "--min-confidence", "0"]);
    expect(asked).toMatchObject({ status: 0 });
    const other = join(cwd, "models", "verbatim-reader-en");
    const refused = await verbatim(["ask", "Kessel", "--index", "german", "--reader-model", other]);
    expect(refused.status).toBe(3);
    expect(refused.stderr).toMatch(/has a different vocabulary from the model verbatim-multi/);
  });
});

describe("without the multilingual model", () => {
  beforeEach(async () => {
    await rm(join(cwd, "models", "verbatim-multi"), { recursive: true });
    await write("notes", [GERMAN]);
  });

  it("the English one is used, and the summary names the command that installs the other", async () => {
    const { stdout } = await verbatim(["index", "notes"]);
    expect(stdout).toMatch(/model verbatim-en\.\nLanguages of the new documents: German 1\. .+npm install/);
  });

  it("--model multi fails with the command that installs it", async () => {
    const run = await verbatim(["index", "notes", "--model", "multi"]);
    expect(run).toMatchObject({ status: 3, stdout: "" });
    expect(run.stderr).toMatch(/The model verbatim-multi is not installed\..*\n?.*npm install verbatim-qa/);
  });

  it("an index that was made with it fails with that command", async () => {
    await install("verbatim-multi", "b".repeat(64));
    await verbatim(["index", "notes", "--quiet"]);
    await rm(join(cwd, "models", "verbatim-multi"), { recursive: true });
    const run = await verbatim(["ask", "Kessel"]);
    expect(run.status).toBe(3);
    expect(run.stderr).toMatch(/made with the model verbatim-multi, which is not installed\..*\n?.*npm install/);
  });
});
