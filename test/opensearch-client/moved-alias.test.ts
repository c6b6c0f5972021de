/** Questions to a cluster while its alias moves to another index and the old one is deleted. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pointAlias, removeIndex } from "../../adapters/opensearch/alias-lookup.js";
import { LOST_CONTEXT } from "../../adapters/opensearch/connection/cluster-error.js";
import { copyToCluster } from "../../adapters/opensearch/copy.js";
import { openConnectedIndex, openLoader } from "../../adapters/opensearch/open.js";
import { VerbatimError } from "../../src/errors.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { temporaryFolder, verbatim } from "../cli/run-cli.js";
import { type Both, loadBoth, makeCorpus, visible } from "../opensearch/corpus.js";
import { type FakeCluster, startFakeCluster } from "./fake-cluster.js";
import { intercept } from "./intercept.js";

const corpus = makeCorpus({ documents: 40, questions: 12, seed: 31 });
let cluster: FakeCluster;
let both: Both;
beforeEach(async () => {
  cluster = await startFakeCluster("docs");
  both = await loadBoth(corpus, cluster.address);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await both?.close();
  await cluster?.close();
});

/** As `verbatim copy --replace`: loads a second index with the same documents, and deletes the first. */
async function replaceIndex(): Promise<void> {
  const { address } = cluster;
  const snapshot = await openSnapshot(both.storage);
  const { loader } = await openLoader({ address, replace: true }, snapshot.manifest.model);
  await copyToCluster(snapshot, loader);
  expect(await loader.commit()).toBe(both.cluster.info.version); // both have the same version
  const { connection, index } = loader.connected;
  await removeIndex(connection, (await pointAlias(connection, index))!);
  await loader.close();
  await snapshot.close();
}

async function expectFoldersAnswer(question: string, found = both.cluster.ask(question, SPARSE)): Promise<void> {
  expect(visible(await found)).toEqual(visible(await both.folder.ask(question, SPARSE)));
}

const SPARSE = { strategy: "sparse-first" } as const;

describe("a question", () => {
  it("that meets a deleted index is asked again of the one that the alias points to now", async () => {
    await replaceIndex();
    await expectFoldersAnswer(corpus.questions[0]!);
  });

  it("that began before a refresh noticed the new index is asked again of the new one", async () => {
    intercept(
      "searches",
      () => true,
      async () => {
        await replaceIndex();
        await both.cluster.refresh();
      },
    );
    await expectFoldersAnswer(corpus.questions[1]!);
  });

  it("whose search is lost because the index is deleted during it is asked again of the new one", async () => {
    intercept(
      "searches",
      () => true,
      async () => {
        await replaceIndex();
        throw new VerbatimError("io-error", "No search context found.", { found: LOST_CONTEXT });
      },
    );
    await expectFoldersAnswer(corpus.questions[1]!);
  });

  it("that is asked while a refresh reads the totals of the new index is answered", async () => {
    await replaceIndex();
    let isRead = (): void => {};
    const reading = new Promise<void>((resolve) => {
      isRead = resolve;
    });
    let asked: ReturnType<typeof both.cluster.ask> | undefined;
    intercept(
      "send",
      ({ path }) => path.endsWith("/_stats/store"),
      async () => {
        asked = both.cluster.ask(corpus.questions[2]!, SPARSE);
        isRead();
        await new Promise((resolve) => setTimeout(resolve, 50)); // it meets the deleted index meanwhile
      },
    );
    const refreshed = both.cluster.refresh();
    await reading;
    await expectFoldersAnswer(corpus.questions[2]!, asked);
    await refreshed;
  });

  it("that follows a failed refresh is answered: the next refresh reads the totals again", async () => {
    await replaceIndex();
    intercept(
      "send",
      ({ path }) => path.endsWith("/_stats/store"),
      () => Promise.reject(new Error("a shard is late")),
    );
    await expect(both.cluster.refresh()).rejects.toThrow("a shard is late");
    await both.cluster.refresh();
    for (const question of corpus.questions) await expectFoldersAnswer(question);
  });

  it("is answered from the new index if the old one cannot be removed", async () => {
    const cwd = await temporaryFolder();
    for (const [name, bytes] of both.storage.files()) await writeFile(join(cwd, name), bytes);
    intercept(
      "send",
      ({ method }) => method === "DELETE",
      () => Promise.reject(new VerbatimError("io-error", "A node is down.")),
    );
    const run = await verbatim(["copy", cwd, cluster.address, "--replace"], { cwd });
    expect([run.status, run.stderr]).toEqual([3, expect.stringContaining("A node is down.")]);
    await both.cluster.refresh();
    await expectFoldersAnswer(corpus.questions[3]!);
    const sent = cluster.stub.requests.filter(({ method }) => method === "DELETE");
    expect(sent).toEqual([]);
  });

  it("to an address without an index fails with a hint", async () => {
    const { connection, index } = await openConnectedIndex({ address: cluster.address });
    await connection.send({
      method: "POST",
      path: "/_aliases",
      body: { actions: [{ remove: { index, alias: "docs" } }] },
    });
    await removeIndex(connection, index);
    await connection.close();
    await expect(both.cluster.ask(corpus.questions[0]!, SPARSE)).rejects.toMatchObject({ code: "index-missing" });
  });
});
