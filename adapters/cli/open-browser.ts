/** Opens an address in the user's browser. */

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeHtml } from "../../src/text/escape-html.js";
import type { Io } from "./process-io.js";

/** True if the user can see a browser on this machine; false over ssh, in CI and in pipes. */
export function canOpenBrowser({ stdout, env }: Pick<Io, "stdout" | "env">): boolean {
  if (stdout.isTTY !== true || env.CI || env.SSH_CONNECTION) return false;
  return process.platform === "darwin" || process.platform === "win32" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * Opens the address through a temporary file that only this user can read and that redirects to it.
 * The address may contain a token, and every user of the machine can read the arguments of a
 * process.
 * @param failed called if no program can open the page
 * @returns a function that deletes the file
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
