/**
 * One writer at a time, across processes: a file `lock` that names its owner. The file outlives its
 * owner after `kill -9` or a power cut, and is then taken over, but only when the owner is
 * certainly gone. A process number alone does not show that: the system reuses numbers, and each
 * container has its own. The lock therefore also holds the start time of the process, the boot of
 * the machine and the PID namespace. A process number from another PID namespace means nothing
 * here, so such a lock counts as one from another machine.
 */

import { randomUUID } from "node:crypto";
import { link, readFile, readlink, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { VerbatimError } from "../../../src/errors.js";
import type { StorageLock } from "../../../src/index/ports.js";
import { errno, storageError } from "./storage-error.js";

const NAME = "lock";
/** What a lock is for, in its errors. */
export interface LockPurpose {
  /** "The index in /data/notes" */
  name: string;
  /** Where an error says that it is. */
  where: string;
  /** The hint after a lost lock. */
  afterLoss: string;
}
/**
 * An unreadable lock, or a takeover, older than this was left by a process that died, in
 * milliseconds.
 */
const ABANDONED_MS = 10_000;
/**
 * The first PID namespace of a Linux system has this fixed inode (PROC_PID_INIT_INO in the kernel);
 * a container never has it.
 */
const INITIAL_PID_NAMESPACE = "pid:[4026531836]";

interface Owner {
  pid: number;
  host: string;
  /** `readlink /proc/self/ns/pid`; null where there are no PID namespaces. */
  pidNamespace: string | null;
  /** Start of the process in clock ticks since boot; null where the system does not report it. */
  processStart: string | null;
  /** Identifies one boot of the machine; null where the system does not report it. */
  boot: string | null;
  /** ISO time, for people. */
  since: string;
  token: string;
}

/**
 * The lock of the index in a folder.
 * @throws VerbatimError `index-locked` (with its owner), `permission-denied`, `out-of-space`,
 *   `io-error`
 */
export function takeLock(folder: string): Promise<StorageLock> {
  return takeLockAt(join(folder, NAME), {
    name: `The index in ${folder}`,
    where: folder,
    afterLoss: "Everything committed before is in the index. Run the command again when no other writer is active.",
  });
}

/** A lock in the file `path`. @throws as `takeLock` */
export async function takeLockAt(path: string, purpose: LockPurpose): Promise<StorageLock> {
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    pidNamespace: await pidNamespace(),
    processStart: await processStart(process.pid),
    boot: await bootId(),
    since: new Date().toISOString(),
    token: randomUUID(),
  };
  const locked = async (path: string): Promise<VerbatimError> => lockedBy(await readOwner(path), path, purpose);
  try {
    if (!(await createWhole(path, owner))) await takeOver(path, { owner, locked });
  } catch (error) {
    throw storageError(error, { doing: "locked", path: purpose.where });
  }
  const isHeld = async (): Promise<boolean> => (await readOwner(path))?.token === owner.token;
  return {
    async verify() {
      if (!(await isHeld())) throw lost(await readOwner(path), purpose);
    },
    async release() {
      if (await isHeld()) await unlink(path).catch(() => {});
    },
  };
}

/**
 * Replaces a lock whose owner is gone. One process at a time does this; otherwise one could remove
 * the fresh lock of another.
 */
async function takeOver(
  path: string,
  { owner, locked }: { owner: Owner; locked: (path: string) => Promise<VerbatimError> },
): Promise<void> {
  const takeover = `${path}.takeover`; // exists while a stale lock is being replaced
  if (!(await isStale(path))) throw await locked(path);
  if (!(await createWhole(takeover, owner))) {
    if (!(await isOld(takeover))) throw await locked(takeover);
    await unlink(takeover).catch(() => {});
    if (!(await createWhole(takeover, owner))) throw await locked(takeover);
  }
  try {
    if (await isStale(path)) await unlink(path).catch(() => {});
    if (!(await createWhole(path, owner))) throw await locked(path);
  } finally {
    await unlink(takeover).catch(() => {});
  }
}

/**
 * Creates the file with its content in one step, so that a reader never sees half of it: written
 * under another name, then linked.
 * @returns false if it exists already
 */
async function createWhole(path: string, owner: Owner): Promise<boolean> {
  const content = `${JSON.stringify(owner)}\n`;
  const temporary = `${path}.${owner.token}`;
  const options = { flag: "wx", mode: 0o600 };
  try {
    try {
      await writeFile(temporary, content, options);
      await link(temporary, path);
    } finally {
      await unlink(temporary).catch(() => {}); // a full disk leaves an empty one
    }
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    if (!["ENOTSUP", "EPERM", "ENOSYS", "EOPNOTSUPP"].includes(errno(error) ?? "")) throw error;
  }
  try {
    // a file system without hard links (FAT, some network mounts)
    await writeFile(path, content, options);
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
}

/** @returns undefined when there is no lock, or it cannot be read */
async function readOwner(path: string): Promise<Partial<Owner> | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** True when the owner is certainly gone, or there is no lock any more. */
async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (owner?.pid === undefined || owner.host === undefined) return isOld(path);
  const namespace = await pidNamespace();
  // its processes cannot be seen from here
  if (owner.host !== hostname() || (owner.pidNamespace ?? null) !== namespace) return false;
  const boot = await bootId();
  if (owner.boot && boot && owner.boot !== boot) {
    // Containers on two machines may share a host name and, by chance, the inode of their
    // namespace.
    return namespace === null || namespace === INITIAL_PID_NAMESPACE;
  }
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
    process.kill(pid, 0); // signal 0 only checks that the process exists
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}

/**
 * Field 22 of /proc/<pid>/stat: start time in clock ticks since boot. The second field may contain
 * spaces and brackets. Linux only.
 */
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

async function pidNamespace(): Promise<string | null> {
  try {
    return await readlink("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

async function lockedBy(
  owner: Partial<Owner> | undefined,
  path: string,
  { name, where }: LockPurpose,
): Promise<VerbatimError> {
  const remove = `remove ${path} and try again.`;
  const isVisible =
    owner?.host === undefined || (owner.host === hostname() && (owner.pidNamespace ?? null) === (await pidNamespace()));
  const hint = isVisible
    ? `Wait until it finishes. If that process no longer exists, ${remove}`
    : `That process is on another machine or in another container. Wait until it finishes; if it no longer exists, ${remove}`;
  return new VerbatimError("index-locked", `${name} is being written to by ${describe(owner)}.`, {
    where,
    found: foundOf(owner),
    hint,
  });
}

function lost(owner: Partial<Owner> | undefined, { name, where, afterLoss }: LockPurpose): VerbatimError {
  const what = owner === undefined ? "was removed" : `now belongs to ${describe(owner)}`;
  const subject = name.slice(0, 1).toLowerCase() + name.slice(1);
  return new VerbatimError("index-locked", `The lock of ${subject} ${what}; this writer has stopped.`, {
    where,
    found: foundOf(owner),
    hint: afterLoss,
  });
}

function foundOf(owner: Partial<Owner> | undefined): object | undefined {
  return owner && { pid: owner.pid, host: owner.host, since: owner.since };
}

function describe(owner: Partial<Owner> | undefined): string {
  return owner?.pid === undefined ? "another process" : `process ${owner.pid} on ${owner.host} since ${owner.since}`;
}
