/**
 * Failures of a cluster of three nodes: a node that dies during questions and loading, a lost
 * quorum, and a full restart.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openClusterIndex, openClusterWriter } from "../../adapters/opensearch/open.js";
import type { Index } from "../../src/api/index-handle.js";
import type { IngestProgress } from "../../src/ingest/ingest.js";
import { loadBoth, makeCorpus, visible } from "./corpus.js";
import { addressOf, endNode, healthOf, startNode, waitForHealth } from "./nodes.js";

const plan = inject("cluster");
const corpus = makeCorpus({ documents: 60, questions: 60, seed: 30 });
const more = makeCorpus({ documents: 400, questions: 20, seed: 31 });
const address = addressOf(plan, "failing", "?shards=2");
/** Questions asked while a node is killed, for each of two kills. */
const UNDER_KILL = 510;

let expected: string[];
let cluster: Index;

beforeAll(async () => {
  const both = await loadBoth(corpus, address);
  expected = [];
  for (const question of corpus.questions)
    expected.push(JSON.stringify(visible(await both.folder.ask(question, { strategy: "sparse-first" }))));
  cluster = both.cluster;
  await both.folder.close();
});
afterAll(() => cluster?.close());

interface Outcome {
  asked: number;
  failed: string[];
  wrong: number;
}

/**
 * Asks until `until` resolves and at least `least` questions were asked; a partial answer would be
 * wrong.
 */
async function askWhile(index: Index, until: Promise<unknown>, least: number): Promise<Outcome> {
  const outcome: Outcome = { asked: 0, failed: [], wrong: 0 };
  let over = false;
  until.finally(() => {
    over = true;
  });
  while (!over || outcome.asked < least) {
    const n = outcome.asked++ % corpus.questions.length;
    try {
      const found = JSON.stringify(visible(await index.ask(corpus.questions[n]!, { strategy: "sparse-first" })));
      if (found !== expected[n]) outcome.wrong++;
    } catch (error) {
      outcome.failed.push(String(error));
    }
  }
  return outcome;
}

const NOTHING_WRONG = { failed: [], wrong: 0 };

describe("kill -9", () => {
  it("of one node, then another, during questions: none fails or is answered partially or wrongly", async () => {
    let asked = 0;
    for (const n of [2, 0]) {
      const kill = sleep(300).then(() => endNode(plan, n, "SIGKILL"));
      const under = await askWhile(cluster, kill, UNDER_KILL);
      console.log(
        `kill -9 of node ${n}: ${under.asked} questions, ${under.failed.length} failed, ${under.wrong} wrong`,
      );
      expect(under).toMatchObject(NOTHING_WRONG);
      asked += under.asked;
      startNode(plan, n);
      const joined = waitForHealth(plan, { node: 1, count: 3, status: "green" });
      const after = await askWhile(cluster, joined, 0);
      expect(after).toMatchObject(NOTHING_WRONG);
      asked += after.asked;
    }
    console.log(`${asked} questions while two nodes were killed and came back: 0 failed, 0 wrong`);
    expect(asked).toBeGreaterThanOrEqual(1000);
  }, 900_000);

  it("of one node during loading, early or late: nothing is lost or duplicated", async () => {
    for (const at of [1, 100]) {
      const name = `loading-${at}`;
      const { kill, done } = await loadWhileKilling({ name, how: "?shards=4", at, node: () => 1 });
      await kill;
      startNode(plan, 1);
      await waitForHealth(plan, { node: 0, count: 3, status: "green" });
      await checkLoaded(name, done);
    }
  });

  it("of the only node with a shard, during loading: the loader waits for it", async () => {
    const name = "only";
    const back: { started?: Promise<void> } = {};
    const { done } = await loadWhileKilling({
      name,
      how: "?shards=1&replicas=0",
      at: 100,
      node: async () => (await onlyShardOf(name)).node,
      killed: (n) => {
        back.started = sleep(3000).then(() => startNode(plan, n));
      },
    });
    await back.started;
    await waitForHealth(plan, { node: 0, count: 3, status: "green" });
    await checkLoaded(name, done);
    const { index } = await onlyShardOf(name);
    const removed = await fetch(urlOf(`/${index}`), { method: "DELETE" }); // two nodes alone would be without its shard
    expect(removed.status).toBe(200);
  });
});

interface Load {
  name: string;
  /** Options for creating the index. */
  how: string;
  /** The node is killed after this many documents were sent. */
  at: number;
  node: () => number | Promise<number>;
  killed?: (node: number) => void;
}

async function loadWhileKilling({ name, how, at, node, killed }: Load) {
  const writer = await openClusterWriter({ address: addressOf(plan, name, how), encoder: more.encoder });
  let kill: Promise<void> | undefined;
  const strike = async (): Promise<void> => {
    const n = await node();
    await endNode(plan, n, "SIGKILL");
    killed?.(n);
  };
  const onProgress = ({ documents }: { documents: number }): void => {
    if (documents >= at) kill ??= strike();
  };
  const done = await writer.add(more.documents, { onProgress });
  await writer.commit();
  await writer.close();
  expect(kill).toBeDefined();
  return { kill, done };
}

async function checkLoaded(name: string, done: IngestProgress): Promise<void> {
  expect(done.documents).toBe(more.documents.length);
  const loaded = await openClusterIndex({ address: addressOf(plan, name), encoder: more.encoder });
  expect(loaded.info).toMatchObject({ documents: more.documents.length, passages: done.passages });
  expect(await loaded.check()).toMatchObject({ ok: true, problems: [] });
  await loaded.close();
}

const urlOf = (path: string): string => `http://127.0.0.1:${plan.nodes[0]!.http}${path}`;

/** The node of an index with one shard and no replica, and the index's name. */
async function onlyShardOf(name: string): Promise<{ index: string; node: number }> {
  const reply = await fetch(urlOf(`/_cat/shards/${name}?h=index,node`));
  const [index = "", node = ""] = (await reply.text()).trim().split(/\s+/);
  return { index, node: Number(node.slice(1)) }; // "n2"
}

describe("two nodes of three", () => {
  it("gone: questions are answered completely or refused; writing is refused with a hint", async () => {
    await endNode(plan, 2, "SIGKILL");
    await waitForHealth(plan, { node: 0, count: 2, status: "green" });
    await endNode(plan, 1, "SIGKILL");
    for (const [n, question] of corpus.questions.slice(0, 3).entries()) {
      const found = await cluster.ask(question, { strategy: "sparse-first" }).then(visible, (error) => error);
      if (found instanceof Error)
        expect(found).toMatchObject({ code: "io-error", hint: expect.stringContaining("health") });
      else expect(JSON.stringify(found)).toBe(expected[n]);
    }
    const refused = openClusterWriter({ address, encoder: corpus.encoder, signal: AbortSignal.timeout(20_000) });
    await expect(refused.then((writer) => writer.close())).rejects.toMatchObject({
      code: expect.stringMatching(/io-error|aborted/),
    });
  });

  it("back, after the third was killed too: nothing is lost", async () => {
    await endNode(plan, 0, "SIGKILL");
    expect(await healthOf(plan, 0)).toBeUndefined();
    for (const n of plan.nodes.keys()) startNode(plan, n);
    await waitForHealth(plan, { node: 0, count: 3, status: "green" });
    expect(await askWhile(cluster, Promise.resolve(), corpus.questions.length)).toMatchObject(NOTHING_WRONG);
    expect(await cluster.check()).toMatchObject({ ok: true, problems: [] });
  });
});
