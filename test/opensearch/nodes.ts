/**
 * Nodes of one cluster on this machine: started, ended and killed by their process ids, never by
 * name.
 */

import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Distribution } from "./distribution.js";

/** The user nobody, because OpenSearch refuses to run as root. */
const NOBODY = 65534;
const HEAP = "384m";

interface Node {
  http: number;
  transport: number;
}

export interface ClusterPlan {
  distribution: Distribution;
  /** Data, logs and settings, one folder per node. */
  root: string;
  nodes: Node[];
}

/** Three nodes on free ports. */
export async function planCluster(distribution: Distribution, root: string): Promise<ClusterPlan> {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const ports = await freePorts(6);
  const nodes = [0, 1, 2].map((n) => ({ http: ports[2 * n]!, transport: ports[2 * n + 1]! }));
  return { distribution, root, nodes };
}

export const addressOf = (plan: ClusterPlan, name: string, query = ""): string =>
  `opensearch://${plan.nodes.map(({ http }) => `127.0.0.1:${http}`).join(",")}/${name}${query}`;

/** Below the ephemeral ports, so that a restarted node finds its ports free. */
const PORTS = { from: 15_000, to: 30_000 };

async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    if (await isFree(port)) free.add(port);
  }
  return [...free];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

const folderOf = (plan: ClusterPlan, n: number): string => join(plan.root, `n${n}`);
const pidFile = (plan: ClusterPlan, n: number): string => join(folderOf(plan, n), "pid");

/** Starts node n with its existing data. */
export function startNode(plan: ClusterPlan, n: number): void {
  const folder = folderOf(plan, n);
  const { folder: home, javaHome, version } = plan.distribution;
  for (const name of ["data", "logs", "conf", "tmp"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "conf", "log4j2.properties"), readFileSync(join(home, "config", "log4j2.properties")));
  writeFileSync(join(folder, "conf", "jvm.options"), jvmOptions(home, folder));
  writeFileSync(join(folder, "conf", "opensearch.yml"), settings(plan, n));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) giveAway(folder);
  const out = openSync(join(folder, "stdout.log"), "a");
  const command = [join(home, "bin", "opensearch")];
  if (isRoot) command.unshift("setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups");
  const child = spawn(command[0]!, command.slice(1), {
    cwd: home, // paths in jvm.options are relative to it
    stdio: ["ignore", out, out],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LANG: "C.UTF-8",
      OPENSEARCH_JAVA_HOME: javaHome,
      JAVA_HOME: javaHome,
      OPENSEARCH_PATH_CONF: join(folder, "conf"),
      OPENSEARCH_TMPDIR: join(folder, "tmp"),
    },
  });
  child.unref();
  if (child.pid === undefined) throw new Error(`OpenSearch ${version} does not start`);
  writeFileSync(pidFile(plan, n), String(child.pid)); // setpriv and the script exec: it stays the id of the JVM
}

function jvmOptions(home: string, folder: string): string {
  return readFileSync(join(home, "config", "jvm.options"), "utf8")
    .replace(/^-Xms.*$/m, `-Xms${HEAP}`)
    .replace(/^-Xmx.*$/m, `-Xmx${HEAP}`)
    .replaceAll("logs/", `${folder}/logs/`)
    .replace("HeapDumpPath=data", `HeapDumpPath=${folder}/data`)
    .replace(/^9-:-Xlog:gc.*$/m, "");
}

function settings({ root, nodes }: ClusterPlan, n: number): string {
  const { http, transport } = nodes[n]!;
  const folder = join(root, `n${n}`);
  return `cluster.name: verbatim-test
node.name: n${n}
path.data: ${folder}/data
path.logs: ${folder}/logs
network.host: 127.0.0.1
http.port: ${http}
transport.port: ${transport}
discovery.seed_hosts: ${JSON.stringify(nodes.map((node) => `127.0.0.1:${node.transport}`))}
cluster.initial_cluster_manager_nodes: ${JSON.stringify(nodes.map((_, i) => `n${i}`))}
cluster.routing.allocation.disk.threshold_enabled: false
bootstrap.system_call_filter: false
node.processors: 1
`;
}

function giveAway(folder: string): void {
  chownSync(folder, NOBODY, NOBODY);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveAway(path);
    else chownSync(path, NOBODY, NOBODY);
  }
}

/** The node's process, if it runs; an id reused by another process does not count. */
function pidOf(plan: ClusterPlan, n: number): number | undefined {
  const file = pidFile(plan, n);
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8"));
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return line.includes(join(folderOf(plan, n), "conf")) || line.includes(plan.distribution.folder) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Stops node n and waits. @param signal  SIGKILL to simulate a power cut */
export async function endNode(plan: ClusterPlan, n: number, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const pid = pidOf(plan, n);
  if (pid === undefined) return;
  process.kill(pid, signal);
  for (let waited = 0; pidOf(plan, n) !== undefined; waited += 50) {
    if (waited > 30_000) process.kill(pid, "SIGKILL");
    await sleep(50);
  }
}

interface Health {
  status: "green" | "yellow" | "red";
  number_of_nodes: number;
}

/** Health of the cluster as seen by node n; undefined if it does not answer. */
export async function healthOf({ nodes }: ClusterPlan, n: number): Promise<Health | undefined> {
  try {
    const reply = await fetch(`http://127.0.0.1:${nodes[n]!.http}/_cluster/health?timeout=1s`, {
      signal: AbortSignal.timeout(5000),
    });
    return reply.ok ? ((await reply.json()) as Health) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Waits for a cluster of this many nodes with all shards. @throws Error with the end of the logs
 */
export async function waitForHealth(
  plan: ClusterPlan,
  { node, count, status, seconds = 240 }: { node: number; count: number; status: Health["status"]; seconds?: number },
): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const good = status === "green" ? ["green"] : ["green", "yellow"];
  for (;;) {
    const health = await healthOf(plan, node);
    if (health !== undefined && health.number_of_nodes === count && good.includes(health.status)) return;
    if (Date.now() > until) {
      const log = readFileSync(join(folderOf(plan, node), "stdout.log"), "utf8").slice(-3000);
      throw new Error(`no ${status} cluster of ${count} nodes in ${seconds} s: ${JSON.stringify(health)}\n${log}`);
    }
    await sleep(500);
  }
}
