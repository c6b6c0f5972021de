/** Shows an address in the person's own browser. */

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeHtml } from "../../src/text/escape-html.js";
import type { Io } from "./process-io.js";

/** Is there a person with a browser at this machine? A terminal of another machine (ssh) has none here. */
export function canOpenBrowser({ stdout, env }: Pick<Io, "stdout" | "env">, platform = process.platform): boolean {
  if (stdout.isTTY !== true || env.CI || env.SSH_CONNECTION) return false;
  return platform === "darwin" || platform === "win32" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * The address may hold a token, and what a program is started with can be read by every user of the machine: so the browser is given a
 * file that only this person may read, and that leads on.
 * @param failed  told when there is no program that opens pages
 * @returns takes the file away again
 */
export async function openBrowser(url: string, failed: () => void): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-open-")); // mode 0700
  const file = join(folder, "open.html");
  const page = `<!doctype html><meta charset="utf-8"><title>Verbatim</title><meta http-equiv="refresh" content="0; url=${escapeHtml(url)}">\n`;
  await writeFile(file, page, { mode: 0o600 });
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, file], { stdio: "ignore", detached: true });
  child.on("error", failed);
  child.unref();
  return () => rm(folder, { recursive: true, force: true });
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
