/** Files of questions that a command reads as a whole. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { VerbatimError } from "../../src/errors.js";
import type { Io } from "./process-io.js";

/** @throws VerbatimError `unreadable-document` */
export async function readText(path: string, io: Io): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, path), "utf8");
  } catch (cause) {
    throw new VerbatimError("unreadable-document", `Cannot read ${path}.`, { cause, hint: "Choose an existing file." });
  }
}

/** @throws VerbatimError `unreadable-document` */
export function parseJsonFile(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new VerbatimError("unreadable-document", `${path} is not JSON.`, { cause, hint: "Choose a JSON file." });
  }
}
