/**
 * node scripts/screenshots.mjs [FOLDER]: serves the samples and takes screenshots of the page,
 * light, dark and at phone width, into FOLDER (default docs/images). Needs Chromium (CHROMIUM, or
 * /usr/bin/chromium).
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { ensureBuilt, main, root, say } from "./prepare.mjs";

const folder = resolve(process.argv[2] ?? join(root, "docs", "images"));
const QUESTION = "who founded the observatory?";

ensureBuilt();
mkdirSync(folder, { recursive: true });
const index = mkdtempSync(join(tmpdir(), "verbatim-screenshots-"));
const server = spawn(process.execPath, [main, "serve", "samples", "--index", index, "--port", "0"], {
  cwd: root,
  stdio: ["ignore", "pipe", "ignore"],
});
const address = await new Promise((done, fail) => {
  server.stdout.on("data", (bytes) => done(/http:\S+/.exec(String(bytes))[0]));
  server.once("exit", (status) => fail(new Error(`verbatim serve ended with ${status}`)));
});
const url = address.replace(/#.*/, "");
while (!(await fetch(`${url}readyz`)).ok) await new Promise((done) => setTimeout(done, 500));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const wide = { width: 900, height: 620 };
const phone = { width: 390, height: 700 };
for (const [name, viewport, colorScheme, act] of [
  ["answers-light", wide, "light", () => {}],
  ["why-dark", wide, "dark", (page) => page.locator(".card").first().getByRole("button", { name: "Why?" }).click()],
  ["document-light", wide, "light", (page) => page.locator(".open").first().click()],
  ["answers-phone", phone, "light", () => {}],
  ["document-phone-dark", phone, "dark", (page) => page.locator(".open").first().click()],
]) {
  const context = await browser.newContext({ viewport, colorScheme, locale: "en-US", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(`${url}?q=${encodeURIComponent(QUESTION)}`);
  await page.locator(".says", { hasText: " ms" }).waitFor({ timeout: 60_000 });
  await act(page);
  if (name.startsWith("why")) await page.locator(".why").waitFor();
  if (name.startsWith("document")) await page.locator("dialog mark").waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  say(`${name}.png`);
  await context.close();
}
await browser.close();
server.kill("SIGTERM");
await new Promise((done) => server.once("exit", done));
rmSync(index, { recursive: true, force: true });
