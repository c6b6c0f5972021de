/**
 * One writer at a time, across processes: a file `lock` that says who holds it. A lock outlives its owner after `kill -9` or a power cut;
 * it is taken over when the owner is certainly gone. A process number alone does not tell (numbers are given again, and in a container
 * it is always the same), so the lock also keeps when its process and its machine were started.
 */

import { randomUUID } from "node:crypto";
import { link, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import type { StorageLock } from "../../../src/index/ports.js";
import { errno, storageError } from "./storage-error.js";

const NAME = "lock";
/** Held while a stale lock is replaced, for milliseconds. */
const TAKEOVER_NAME = "lock.takeover";
/** A lock that cannot be read, or a takeover, of this age is of a process that died over it. */
const ABANDONED_MS = 10_000;

interface Owner {
  pid: number;
  host: string;
  /** When the process was started, in the kernel's own count; null where the system does not tell. */
  processStart: string | null;
  /** Which start of the machine; null where the system does not tell. */
  boot: string | null;
  /** ISO time, for people. */
  since: string;
  token: string;
}

/** @throws VerbatimError `index-locked` (who holds it), `permission-denied`, `out-of-space`, `io-error` */
export async function takeLock(folder: string): Promise<StorageLock> {
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    processStart: await processStart(process.pid),
    boot: await bootId(),
    since: new Date().toISOString(),
    token: randomUUID(),
  };
  const path = join(folder, NAME);
  try {
    if (!(await createWhole(path, owner))) await takeOver(folder, owner);
  } catch (error) {
    throw storageError(error, { doing: "locked", path: folder });
  }
  return {
    async release() {
      const current = await readOwner(path);
      if (current?.token === owner.token) await unlink(path).catch(() => {});
    },
  };
}

/** Replaces a lock whose owner is gone. Only one process does so at a time, or one might remove the other's fresh lock. */
async function takeOver(folder: string, owner: Owner): Promise<void> {
  const path = join(folder, NAME);
  const takeover = join(folder, TAKEOVER_NAME);
  if (!(await isStale(path))) throw locked(folder, await readOwner(path));
  if (!(await createWhole(takeover, owner))) {
    if (!(await isOld(takeover))) throw locked(folder, await readOwner(takeover));
    await unlink(takeover).catch(() => {});
    if (!(await createWhole(takeover, owner))) throw locked(folder, await readOwner(takeover));
  }
  try {
    if (await isStale(path)) await unlink(path).catch(() => {});
    if (!(await createWhole(path, owner))) throw locked(folder, await readOwner(path));
  } finally {
    await unlink(takeover).catch(() => {});
  }
}

/**
 * Makes the file with its content in one step, so that nobody ever reads half of it: written aside, then linked.
 * @returns false if there is one already
 */
async function createWhole(path: string, owner: Owner): Promise<boolean> {
  const content = `${JSON.stringify(owner)}\n`;
  const aside = `${path}.${owner.token}`;
  try {
    await writeFile(aside, content, { flag: "wx" });
    try {
      await link(aside, path);
    } finally {
      await unlink(aside);
    }
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    if (!["ENOTSUP", "EPERM", "ENOSYS", "EOPNOTSUPP"].includes(errno(error) ?? "")) throw error;
  }
  try {
    await writeFile(path, content, { flag: "wx" }); // a file system without hard links (FAT, some network mounts)
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
}

async function readOwner(path: string): Promise<Partial<Owner> | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** True when the lock's process is certainly gone, or there is no lock any more. */
async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (owner?.pid === undefined || owner.host === undefined) return isOld(path);
  if (owner.host !== hostname()) return false; // another machine on a shared folder: who could know
  const boot = await bootId();
  if (owner.boot && boot && owner.boot !== boot) return true;
  if (!isRunning(owner.pid)) return true;
  const start = await processStart(owner.pid);
  return Boolean(owner.processStart && start && owner.processStart !== start);
}

async function isOld(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
  } catch (error) {
    if (errno(error) === "ENOENT") return true;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 only asks
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}

/** Field 22 of /proc/<pid>/stat: start time in clock ticks since boot. The second field may hold spaces and brackets. Linux only. */
async function processStart(pid: number): Promise<string | null> {
  try {
    const line = await readFile(`/proc/${pid}/stat`, "latin1");
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

async function bootId(): Promise<string | null> {
  try {
    return (await readFile("/proc/sys/kernel/random/boot_id", "latin1")).trim();
  } catch {
    return null;
  }
}

function locked(folder: string, owner: Partial<Owner> | undefined): VerbatimError {
  const who =
    owner?.pid === undefined ? "another process" : `process ${owner.pid} on ${owner.host} since ${owner.since}`;
  return new VerbatimError("index-locked", `The index in ${folder} is being written to by ${who}.`, {
    where: folder,
    found: owner && { pid: owner.pid, host: owner.host, since: owner.since },
    hint: `Wait until it is done. If you are sure that it is gone, remove ${join(folder, NAME)} and try again.`,
  });
}
