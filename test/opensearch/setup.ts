/** Starts a cluster of three nodes before all tests, and stops it afterwards. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { CACHE, haveDistribution } from "./distribution.js";
import { type ClusterPlan, endNode, planCluster, startNode, waitForHealth } from "./nodes.js";

declare module "vitest" {
  interface ProvidedContext {
    cluster: ClusterPlan;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const distribution = haveDistribution(CACHE);
  const plan = await planCluster(distribution, join(tmpdir(), `verbatim-opensearch-${process.pid}`));
  const end = async (): Promise<void> => {
    await Promise.all(plan.nodes.map((_, n) => endNode(plan, n, "SIGKILL")));
  };
  console.log(`OpenSearch ${distribution.version}, three nodes in ${plan.root}`);
  try {
    for (const n of plan.nodes.keys()) startNode(plan, n);
    await waitForHealth(plan, { node: 0, count: 3, status: "green" });
  } catch (error) {
    await end();
    throw error;
  }
  project.provide("cluster", plan);
  return end;
}
