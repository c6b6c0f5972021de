/**
 * The server under clients that misbehave, in small; run.ts has the full loads. A well-behaved
 * client's question is answered throughout, nothing ends the server, and its memory comes back.
 */

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JobView } from "../../../adapters/server/http/schemas.js";
import { batches, endlessUploads, idle, type Load, largeMetadata, slowBodies, slowHeaders, unread } from "./loads.js";
import { Victim } from "./victim.js";

/** Size of the file system that the index is on. */
const DISK_MIB = 32;
/** Resident memory may grow by this much for good: heap that V8 has not given back. */
const ALLOWED_MIB = 100;

// The figures come from /proc.
const onLinux = process.platform === "linux" ? it : it.skip;
let victim: Victim;
/** Warnings of this process, where the loads run. */
const warnings: string[] = [];
const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
beforeAll(async () => {
  process.on("warning", onWarning);
  victim = await Victim.start({ largeUnits: 1_000_000, diskMiB: DISK_MIB });
});
afterAll(async () => {
  process.off("warning", onWarning);
  await victim.remove();
});

const LOADS: Load[] = [
  idle(600),
  slowHeaders(200),
  slowBodies(200),
  unread("/v1/documents/large.txt", 6, 900),
  unread("/v1/documents/large.txt", 150, 10),
  unread("/openapi.json", 50, 900),
  batches(4),
  endlessUploads(2, 0.2),
  largeMetadata(4, 4),
];

for (const load of LOADS) {
  onLinux(`answers, and gets its memory back, with ${load.name}`, async () => {
    const measured = await victim.endure(load, { seconds: 2, calmMs: 0, settleMs: 60_000, allowedMiB: ALLOWED_MIB });
    expect(victim.isRunning).toBe(true);
    expect(measured.questions).toBeGreaterThan(0);
    expect(measured.failed).toBe(0);
    expect(measured.growthMiB).toBeLessThanOrEqual(ALLOWED_MIB);
  });
}

async function api(method: string, path: string, body?: string): Promise<{ status: number; job: JobView }> {
  const headers = { Authorization: `Bearer ${victim.token}` };
  const response = await fetch(`http://127.0.0.1:${victim.port}${path}`, { method, headers, body });
  return { status: response.status, job: (await response.json()) as JobView };
}

/** Documents that hang or kill a parser, or did. */
const HOSTILE: Record<string, string> = {
  README: `${"<!---->".repeat(40)}x`,
  "spaces.html": `<pre>${" ".repeat(300_000)}x</pre>`,
  "nested.md": "- ".repeat(10_000),
  "brackets.md": "[".repeat(1_000_000),
};

onLinux("answers while hostile documents are uploaded, and can cancel them", async () => {
  const jobs: JobView[] = [];
  for (const [name, text] of Object.entries(HOSTILE)) {
    jobs.push((await api("POST", `/v1/uploads?name=${name}`, text)).job);
    expect(await victim.ask()).toBeDefined();
  }
  for (const { id } of jobs) await api("DELETE", `/v1/jobs/${id}`);
  for (const { id } of jobs) {
    for (;;) {
      const { job } = await api("GET", `/v1/jobs/${id}`);
      if (job.state !== "running" && job.state !== "waiting") break;
      expect(await victim.ask()).toBeDefined();
    }
  }
});

onLinux("answers while the disk is full, and writes again when it is not", async ({ skip }) => {
  if (!victim.hasOwnDisk) skip("a file system of its own can only be mounted by root");
  const upload = async (name: string): Promise<JobView> => {
    let { job } = await api("POST", `/v1/uploads?name=${name}&wait=true`, "The harbour was dug by Ann Doe.");
    while (job.state === "waiting" || job.state === "running") {
      await new Promise((done) => setTimeout(done, 200)); // the process that writes gives way to these requests
      ({ job } = await api("GET", `/v1/jobs/${job.id}`));
    }
    return job;
  };
  const filler = join(victim.folder, "index", "filler");
  expect(() => writeFileSync(filler, Buffer.alloc(DISK_MIB * 2 ** 20))).toThrow(/ENOSPC/);
  expect(await upload("full.txt")).toMatchObject({
    state: "failed",
    error: { code: "out-of-space", title: "The server's disk is full." },
  });
  expect(victim.stderr).toMatch(/"event":"job failed".*"code":"out-of-space".*the disk is full/);
  expect(await victim.ask()).toBeDefined();
  rmSync(filler);
  expect(readdirSync(join(victim.folder, "index")).filter((name) => name.startsWith("lock"))).toEqual([]);
  expect(await upload("room.txt")).toMatchObject({ state: "done", documents: 1 });
  expect(await victim.ask()).toBeDefined();
});

onLinux("ends cleanly afterwards", async () => {
  expect((await victim.stop()).status, victim.stderr).toBe(0);
});

onLinux("no process has warned of a leak of listeners", () => {
  expect([...victim.warnings, ...warnings].filter((text) => text.includes("MaxListeners"))).toEqual([]);
});
