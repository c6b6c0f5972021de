/** A real browser, pages whose faults are recorded, and servers of the built program. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser)
  console.warn(`Pages are not tested: ${executablePath} does not exist (apt-get install chromium, or set CHROMIUM).`);

export const builtProgram = join(projectRoot, "dist", "adapters", "cli", "main.js");
export const tinyEnv = { ...process.env, VERBATIM_MODEL: tinyModel };

/** Builds the program if it is out of date. */
export function buildProgram(): void {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
}

export function launchBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args });
}

/** Adds script errors and error messages, such as violations of the content security policy, to `faults`. */
export function recordFaults(page: Page, faults: string[], expected?: RegExp): void {
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && expected?.test(message.text()) !== true) faults.push(message.text());
  });
}

export interface BuiltServer {
  url: string;
  /** The token that the server printed; "" if it printed none. */
  token: string;
  stop(): Promise<void>;
}

/** Starts `verbatim serve` with the tiny model in the folder `cwd`, and waits until it is ready. */
export async function serveBuilt(cwd: string, args: string[]): Promise<BuiltServer> {
  const child = spawn(process.execPath, [builtProgram, "serve", "--port", "0", ...args], {
    ...{ cwd, env: tinyEnv },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const line = await new Promise<string>((done, fail) => {
    child.stdout.once("data", (bytes: Buffer) => done(String(bytes)));
    child.once("exit", (status) => fail(new Error(`the server ended with status ${status}`)));
  });
  const url = /http:[^\s#]+\//.exec(line)![0];
  while (!(await fetch(`${url}readyz`)).ok) await new Promise((done) => setTimeout(done, 100));
  return {
    url,
    token: /#token=(\S+) /.exec(line)?.[1] ?? "",
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
