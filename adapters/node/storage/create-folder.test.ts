import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFolder } from "./create-folder.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "verbatim-folder-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("createFolder", () => {
  it("creates what is missing, gives the mode to the folder alone, and leaves existing folders as they are", async () => {
    const folder = join(root, "a", "b", "c");
    await createFolder(folder, 0o700);
    expect(await modeOf(folder)).toBe(0o700);
    await mkdir(join(root, "plain"));
    expect(await modeOf(join(root, "a", "b"))).toBe(await modeOf(join(root, "plain")));
    await createFolder(join(root, "a", "b"), 0o700);
    expect(await modeOf(join(root, "a", "b"))).toBe(await modeOf(join(root, "plain")));
  });

  it("is created once by callers at the same time", async () => {
    const folder = join(root, "a", "b", "c");
    await Promise.all(Array.from({ length: 20 }, () => createFolder(folder)));
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  it("refuses a file, a file above, and a link to nothing", async () => {
    await writeFile(join(root, "file"), "x");
    await symlink(join(root, "gone"), join(root, "link"));
    await expect(createFolder(join(root, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(createFolder(join(root, "file", "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(createFolder(join(root, "link"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(createFolder(join(root, "link", "a"))).rejects.toBeInstanceOf(Error);
  });

  it.runIf(process.platform === "linux")("ends where the system allows no folders", async () => {
    await expect(createFolder("/proc/verbatim/a")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
