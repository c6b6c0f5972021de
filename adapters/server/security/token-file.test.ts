import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTokenFile } from "./token-file.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbatim-tokens-"));
  file = join(folder, "tokens");
  await writeFile(file, "ask 0123456789abcdef\n");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

it.skipIf(process.platform === "win32")("a token file that other users can read or change is refused", async () => {
  for (const mode of [0o644, 0o604, 0o620, 0o602, 0o660]) {
    await chmod(file, mode);
    const refused = { code: "permission-denied", where: file, hint: `Run: chmod 600 ${file}` };
    await expect(readTokenFile(file), mode.toString(8)).rejects.toMatchObject(refused);
  }
});

it("a token file of its owner, or readable by the owner's group, is accepted", async () => {
  for (const mode of [0o600, 0o400, 0o640, 0o440]) {
    await chmod(file, mode);
    expect((await readTokenFile(file)).find("0123456789abcdef")).toMatchObject({ scope: "ask" });
  }
});

it("a missing token file is an error that names it", async () => {
  await expect(readTokenFile(join(folder, "none"))).rejects.toMatchObject({
    code: "ENOENT",
    path: join(folder, "none"),
  });
});
