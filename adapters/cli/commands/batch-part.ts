/**
 * The partial output of `verbatim ask --questions`, and the file next to it with the settings that
 * its lines were answered with.
 */

import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hasCode, VerbatimError } from "../../../src/errors.js";
import type { StorageLock } from "../../../src/index/ports.js";
import { takeLockAt } from "../../node/storage/lock-file.js";

export interface BatchQuestion {
  id: string;
  question: string;
}

type Settings = Readonly<Record<string, unknown>>;

export interface Part {
  file: FileHandle;
  lock: StorageLock;
  /** Complete lines. */
  done: number;
  /** Whether any of them has an answer. */
  found: boolean;
}

const partOf = (out: string): string => `${out}.part`;
const settingsOf = (out: string): string => `${out}.part.json`;
const lockOf = (out: string): string => `${out}.part.lock`;

/**
 * Opens the partial file of an output after its last complete line.
 * @param expected.shown  the output as the user named it
 * @throws VerbatimError `invalid-argument` if it has other questions or settings, `permission-denied`,
 *   `index-locked` while another process writes it
 */
export async function openPart(
  out: string,
  expected: { questions: readonly BatchQuestion[]; settings: Settings; shown: string },
): Promise<Part> {
  const { questions, settings, shown } = expected;
  const cannotWrite = (cause: unknown): VerbatimError =>
    new VerbatimError("permission-denied", `Cannot write ${shown}.part.`, {
      cause,
      hint: "Choose a file in an existing folder.",
    });
  const lock = await takeLockAt(lockOf(out), { name: `${shown}.part`, where: out, afterLoss: "Run it again." }).catch(
    (error) => {
      throw hasCode(error, "index-locked") ? error : cannotWrite(error);
    },
  );
  const file = await open(partOf(out), "a+").catch(async (error) => {
    await lock.release();
    throw cannotWrite(error);
  });
  try {
    const lines = (await file.readFile("utf8")).split("\n").slice(0, -1);
    const records = lines.map(recordOf);
    const refuse = (message: string): never => {
      const hint = `Delete ${shown}.part to start again, or choose another file with --out.`;
      throw new VerbatimError("invalid-argument", message, { hint });
    };
    const belongs = records.every(
      ({ id, question }, n) => id === questions[n]?.id && question === questions[n]?.question,
    );
    if (!belongs) refuse(`${shown}.part does not belong to these questions.`);
    if (lines.length === 0) await writeFile(settingsOf(out), `${JSON.stringify(settings)}\n`);
    else {
      const before = await readSettings(settingsOf(out));
      if (before === undefined) return refuse(`The settings of ${shown}.part are unknown.`);
      const changed = changedSettings(before, settings);
      if (changed.length > 0) refuse(`${shown}.part was written with different settings: ${changed.join(", ")}.`);
    }
    await file.truncate(Buffer.byteLength(lines.map((line) => `${line}\n`).join("")));
    return { file, lock, done: lines.length, found: records.some(({ answers = [] }) => answers.length > 0) };
  } catch (error) {
    await file.close();
    await lock.release();
    throw error;
  }
}

/** Gives the complete partial file its name. */
export async function finishPart(out: string): Promise<void> {
  await rename(partOf(out), out);
  await rm(settingsOf(out), { force: true });
}

async function readSettings(path: string): Promise<Settings | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Settings;
  } catch {
    return undefined;
  }
}

/** Names of the options whose values differ. */
function changedSettings(before: Settings, now: Settings): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}

function recordOf(line: string): { id?: string; question?: string; answers?: unknown[] } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
