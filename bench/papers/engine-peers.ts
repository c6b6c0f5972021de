/** Engines that search the same weights, if they are installed; none is a dependency of the project. */

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PapersContext } from "./context.js";

export interface EnginePeer {
  name: string;
  kind: "terms" | "dense";
  /** How to install it and name it to the command. */
  install: string;
  command(context: PapersContext): string;
  /** Arguments before the folder and the number of best passages. */
  args(context: PapersContext): string[];
  isInstalled(context: PapersContext): Promise<boolean>;
}

const script = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return promisify(execFile)(command, args).then(
    () => true,
    () => false,
  );
}

async function hasLuceneJars(folder: string | undefined): Promise<boolean> {
  const files = folder === undefined ? [] : await readdir(folder).catch(() => []);
  return ["lucene-core-", "lucene-analysis-common-"].every((start) =>
    files.some((file) => file.startsWith(start) && file.endsWith(".jar")),
  );
}

/** JVM options that Lucene recommends for speed. */
const JAVA = ["--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"];

export const PEER_ENGINES: readonly EnginePeer[] = [
  {
    name: "Seismic",
    kind: "terms",
    install: "pip install pyseismic-lsr in the Python that --python names",
    command: ({ python }) => python,
    args: () => [script("seismic_search.py")],
    isInstalled: ({ python }) => succeeds(python, ["-c", "import seismic, numpy"]),
  },
  {
    name: "Lucene",
    kind: "terms",
    install: "Java and the jars lucene-core and lucene-analysis-common in the folder that --lucene names",
    command: () => "java",
    args: ({ lucene }) => [...JAVA, "-cp", join(lucene!, "*"), script("LuceneSearch.java"), "impacts"],
    isInstalled: async ({ lucene }) => (await hasLuceneJars(lucene)) && (await succeeds("java", ["-version"])),
  },
  {
    name: "faiss",
    kind: "dense",
    install: "pip install faiss-cpu in the Python that --python names",
    command: ({ python }) => python,
    args: () => [script("faiss_scan.py")],
    isInstalled: ({ python }) => succeeds(python, ["-c", "import faiss, numpy"]),
  },
];

export async function installedPeers(context: PapersContext): Promise<EnginePeer[]> {
  const installed = await Promise.all(PEER_ENGINES.map((peer) => peer.isInstalled(context)));
  return PEER_ENGINES.filter((_, n) => installed[n]);
}
