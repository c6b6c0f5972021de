/** Fields, filters, changes and refreshing through the library. */

import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type DocumentChange,
  FilterSyntaxError,
  indexPaths,
  openEncoder,
  openIndex,
  openWriter,
  upgradePath,
} from "../../adapters/node/index.js";
import { temporaryFolder, tinyModel } from "./run-cli.js";

describe("verbatim-qa/node", () => {
  it("refuses one string as paths, whose characters would be paths", async () => {
    const cwd = await temporaryFolder();
    const paths = "/" as unknown as string[];
    await expect(indexPaths(paths, { index: join(cwd, "i"), cwd })).rejects.toMatchObject({
      code: "invalid-argument",
      message: "The paths are not a list of strings.",
    });
  });

  it("creates no index when there is none to upgrade", async () => {
    const cwd = await temporaryFolder();
    const upgraded = upgradePath(join(cwd, "i"), { level: "full", modelFolder: tinyModel });
    await expect(upgraded).rejects.toMatchObject({ code: "index-missing" });
    expect(await readdir(cwd)).toEqual([]);
  });

  it("accepts a filter expression or function, but not both, and rejects invalid ones", async () => {
    const cwd = await temporaryFolder();
    const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
    const path = join(cwd, "i");
    await writeFile(join(cwd, "a.txt"), "The bell rings at noon.");
    await writeFile(join(cwd, "b.txt"), "The pump stops at four bar.");
    const options = { index: path, encoder, cwd };
    await indexPaths(["a.txt"], { ...options, fields: { year: 2019 } });
    await indexPaths(["b.txt"], { ...options, fields: { year: 2020 } });
    const index = await openIndex({ path, encoder });
    try {
      const ids = async (asked: Parameters<typeof index.ask>[1]): Promise<string[]> => {
        const { answers } = await index.ask("when does the bell ring?", { topK: 20, ...asked });
        return [...new Set(answers.map(({ documentId }) => documentId))].sort();
      };
      expect(await ids({})).toEqual(["a.txt", "b.txt"]);
      expect(await ids({ where: "year > 2019" })).toEqual(["b.txt"]);
      expect(await ids({ where: "not year > 2019" })).toEqual(["a.txt"]);
      expect(await ids({ filter: ({ metadata }) => metadata.year === 2019 })).toEqual(["a.txt"]);
      expect(await ids({ where: 'title = "nobody"' })).toEqual([]);
      await expect(ids({ where: "year >" })).rejects.toBeInstanceOf(FilterSyntaxError);
      await expect(ids({ where: "year > 1", filter: () => true })).rejects.toThrow("where and filter were both given");
    } finally {
      await index.close();
      await encoder.close();
    }
  });

  it("reports each committed change; an open reader sees it after a refresh", async () => {
    const cwd = await temporaryFolder();
    const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
    const path = join(cwd, "i");
    const changes: DocumentChange[] = [];
    const options = {
      index: path,
      encoder,
      cwd,
      prune: true,
      onChange: (change: DocumentChange) => changes.push(change),
    };
    for (const name of ["a", "b", "c", "d"]) await writeFile(join(cwd, `${name}.md`), `# Of ${name}\n\nIt is ${name}.`);
    await indexPaths(["."], options);
    expect(changes.map(({ change, id }) => `${change} ${id}`)).toEqual([
      "new a.md",
      "new b.md",
      "new c.md",
      "new d.md",
    ]);
    const index = await openIndex({ path, encoder });
    try {
      changes.length = 0;
      await rename(join(cwd, "a.md"), join(cwd, "z.md"));
      await rm(join(cwd, "b.md"));
      await writeFile(join(cwd, "c.md"), "---\ntag: x\n---\n# Of c\n\nIt is c.");
      await writeFile(join(cwd, "d.md"), "# Of d\n\nIt is another.");
      const { total } = await indexPaths(["."], options);
      expect(changes).toEqual([
        { change: "changed", id: "d.md" },
        { change: "fields", id: "c.md" },
        { change: "renamed", id: "z.md", from: "a.md" },
        { change: "removed", id: "b.md" },
      ]);
      const found = async (where: string) => (await index.ask("what is it?", { where })).answers.length > 0;
      expect([await found('id = "b.md"'), await found('id = "z.md"')]).toEqual([true, false]);
      expect(await index.refresh({ atLeastVersion: total!.version })).toBe(total!.version);
      expect([await found('id = "b.md"'), await found('id = "z.md"'), await found('tag = "x"')]).toEqual([
        false,
        true,
        true,
      ]);
      const writer = await openWriter({ path, encoder, durability: "relaxed" });
      expect(await writer.delete(({ metadata }) => metadata.tag === "x")).toBe(1);
      const version = await writer.commit();
      await writer.close();
      await index.refresh({ atLeastVersion: version });
      expect(await found('tag = "x"')).toBe(false);
      await expect(openIndex({ path, encoder, atLeastVersion: version + 1000 })).rejects.toThrow(/at version \d+/);
    } finally {
      await index.close();
      await encoder.close();
    }
  });
});
