/** Loads on the process that writes, for `npx tsx test/server/abuse/run.ts`. */

import { once } from "node:events";
import { createGzip } from "node:zlib";
import { type Load, repeated } from "./loads.js";
import { childrenOf } from "./victim.js";

/** One upload of this many records, packed; what is not done at the end is cancelled. */
export function records(format: "csv" | "jsonl", count: number): Load {
  return {
    name: `an upload of ${count} records (${format}.gz)`,
    async start({ port, token }) {
      const headers = { Authorization: `Bearer ${token}` };
      const address = `http://127.0.0.1:${port}/v1`;
      const body = new Uint8Array(await packedRecords(format, count));
      const response = await fetch(`${address}/uploads?name=many.${format}.gz`, { method: "POST", headers, body });
      if (response.status !== 202)
        throw new Error(`The upload of ${body.length} bytes was answered ${response.status}.`);
      const { id } = (await response.json()) as { id: string };
      return async () => {
        await fetch(`${address}/jobs/${id}`, { method: "DELETE", headers });
        for (;;) {
          const job = (await (await fetch(`${address}/jobs/${id}`, { headers })).json()) as { state: string };
          if (job.state !== "running" && job.state !== "waiting") return;
          await new Promise((done) => setTimeout(done, 100));
        }
      };
    },
  };
}

/** Neighbouring records are equal, but not so many that the file counts as a bomb. */
async function packedRecords(format: "csv" | "jsonl", count: number): Promise<Buffer> {
  const gzip = createGzip();
  const parts: Buffer[] = [];
  gzip.on("data", (part: Buffer) => parts.push(part));
  const row = (i: number): string => (format === "csv" ? `bell ${i >> 3}\n` : `{"text":"bell ${i >> 3}"}\n`);
  if (format === "csv") gzip.write("text\n");
  for (let i = 0; i < count; ) {
    let text = "";
    for (const end = Math.min(count, i + 10_000); i < end; i++) text += row(i);
    if (!gzip.write(text)) await once(gzip, "drain");
  }
  gzip.end();
  await once(gzip, "end");
  return Buffer.concat(parts);
}

/** The process that writes is killed every second, while documents are sent that it has to write. */
export function killedWriter(): Load {
  return {
    name: "the writing process killed every second",
    async start(target) {
      const { pid } = target;
      const sending = await repeated("documents", 2, async ({ port, token }, signal) => {
        const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
        const body = JSON.stringify({ text: `The bell rings at ${Math.random()}.` });
        const path = `/v1/documents/killed${Math.floor(Math.random() * 1e6)}?wait=true`;
        await fetch(`http://127.0.0.1:${port}${path}`, { method: "PUT", headers, body, signal });
      }).start(target);
      const timer = setInterval(() => {
        for (const child of childrenOf(pid)) process.kill(child, "SIGKILL");
      }, 1000);
      return async () => {
        clearInterval(timer);
        await sending();
      };
    },
  };
}
