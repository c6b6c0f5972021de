/**
 * Gives each run a folder for its temporary files, and removes it afterwards: files that tests of
 * one process share have no other end.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function useTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "verbatim-tests-"));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
