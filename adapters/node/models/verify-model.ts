/**
 * Checks that model files are those that model.json names, by SHA-256.
 *
 * Writing to an index hashes the files every time: rows of a damaged model would be stored under
 * the hash of the sound one. Asking hashes them once and remembers it for as long as a file keeps
 * its size, inode and modification time, in `verbatim/verified-models.json` below the user's cache
 * folder. Where that cannot be written, every process hashes them again.
 */

import { webcrypto } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { VerbatimError } from "../../../src/errors.js";

export type ModelHashes = Readonly<Record<string, { sha256: string }>>;

/** What a file looked like when its hash was right. */
interface Verified {
  sha256: string;
  size: number;
  inode: number;
  modifiedMs: number;
}

type Remembered = Record<string, Verified>;

/** Files of models that are no longer used drop out of the memory, the oldest first. */
const MAX_REMEMBERED = 64;

/** Hashes every file. @throws VerbatimError `model-missing` naming the first damaged file */
export async function verifyModel(folder: string, files: ModelHashes): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, { sha256 }]) => verifyFile(folder, name, sha256)));
}

/**
 * Hashes the files that were not verified before, or have changed since.
 * @throws VerbatimError `model-missing` naming the first damaged file
 */
export async function verifyModelOnce(folder: string, files: ModelHashes): Promise<void> {
  const place = memoryPlace();
  const remembered = await readMemory(place);
  const added: Remembered = {};
  await Promise.all(
    Object.entries(files).map(async ([name, { sha256 }]) => {
      const path = resolve(folder, name);
      const now = await look(path, sha256);
      if (now !== undefined && JSON.stringify(remembered[path]) === JSON.stringify(now)) return;
      await verifyFile(folder, name, sha256);
      // a file that changed while it was hashed is hashed again next time
      const after = await look(path, sha256);
      if (after !== undefined && JSON.stringify(after) === JSON.stringify(now)) added[path] = after;
    }),
  );
  if (Object.keys(added).length > 0) await remember(place, added);
}

/**
 * Opens something from model files while they are verified. A damaged file explains a failure to
 * open better than the failure itself.
 * @throws what `verified` or `open` throws
 */
export async function openVerified<T>(verified: Promise<void>, open: () => Promise<T>): Promise<T> {
  const [verification, opening] = await Promise.allSettled([verified, open()]);
  if (verification.status === "rejected") throw verification.reason;
  if (opening.status === "rejected") throw opening.reason;
  return opening.value;
}

/** @throws VerbatimError `model-missing` if the bytes do not have the hash that model.json names */
export async function verifyBytes(path: string, bytes: Uint8Array, sha256: string): Promise<void> {
  // off this thread, unlike createHash
  const digest = await webcrypto.subtle.digest("SHA-256", bytes);
  if (Buffer.from(digest).toString("hex") === sha256) return;
  throw new VerbatimError(
    "model-missing",
    `The model file ${path} is damaged: its SHA-256 is not that in model.json.`,
    {
      found: Buffer.from(digest).toString("hex"),
      expected: sha256,
      where: path,
      hint: "Install the package again, or copy the model folder again.",
    },
  );
}

async function verifyFile(folder: string, name: string, sha256: string): Promise<void> {
  const path = join(folder, name);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new VerbatimError("model-missing", `The model file ${path} cannot be read.`, {
      cause,
      where: path,
      hint: "Install the package again, or check the file's permissions.",
    });
  }
  await verifyBytes(path, bytes, sha256);
}

async function look(path: string, sha256: string): Promise<Verified | undefined> {
  try {
    const { size, ino: inode, mtimeMs: modifiedMs } = await stat(path);
    return { sha256, size, inode, modifiedMs };
  } catch {
    return undefined; // reading it says why
  }
}

function memoryPlace(): string {
  const { platform, env } = process;
  const caches =
    platform === "win32"
      ? (env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"))
      : env.XDG_CACHE_HOME || join(homedir(), platform === "darwin" ? "Library/Caches" : ".cache");
  return join(caches, "verbatim", "verified-models.json");
}

async function readMemory(place: string): Promise<Remembered> {
  try {
    const found: unknown = JSON.parse(await readFile(place, "utf8"));
    return typeof found === "object" && found !== null ? (found as Remembered) : {};
  } catch {
    return {};
  }
}

/** Two processes may write at once; what one of them loses is hashed again. */
async function remember(place: string, added: Remembered): Promise<void> {
  try {
    const all = Object.entries({ ...(await readMemory(place)), ...added }).slice(-MAX_REMEMBERED);
    const folder = dirname(place);
    await mkdir(dirname(folder), { recursive: true }); // the mode is for our own folder, not for its parents
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = `${place}.${process.pid}.${performance.now()}`;
    await writeFile(temporary, JSON.stringify(Object.fromEntries(all)), { mode: 0o600 });
    await rename(temporary, place);
  } catch {} // only the memory is lost
}
