/**
 * Installs OpenSearch on a machine with Java. The server and its k-NN plugin are fetched once from
 * Maven Central by their coordinates, and what was unpacked is reused. The version depends on the
 * installed Java.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";

export interface Distribution {
  version: string;
  folder: string;
  javaHome: string;
}

/**
 * For Java 21 or newer. The zip is upstream's build for plugin tests, without a JDK and the
 * security plugin.
 */
const NEW = {
  version: "3.6.0",
  server: "a91faa1dc1cadc78cb278b4f63847e19e1627a4e9de698e14e7efc14ee37b286",
  knn: "ac392ca28a39b3bf290648a422ef30cb149dda2963a9d7feb26060e932341c9a",
};
/** For Java 11 to 20. Its zip lacks the modules added below. */
const OLD = {
  version: "2.19.6",
  server: "71d6d8b1c637f3faecda0752b184b1cc526fc6eaad59ec1408c6327bb00b9293",
  knn: "c21b9565624d29fd4024e3a3902712349006cb7894a73c45d976756a761e628f",
};

interface Module {
  name: string;
  className: string;
  artifacts: string[];
  policy?: string;
}

const PAINLESS_POLICY = `grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
`;

const modulesOf = (version: string): Module[] => [
  {
    name: "mapper-extras",
    className: "org.opensearch.index.mapper.MapperExtrasPlugin",
    artifacts: [`org.opensearch.plugin:mapper-extras-client:${version}:jar`],
  },
  {
    name: "lang-painless",
    className: "org.opensearch.painless.PainlessPlugin",
    artifacts: [
      `org.opensearch.plugin:lang-painless:${version}:jar`,
      `org.opensearch.plugin:opensearch-scripting-painless-spi:${version}:jar`,
      "org.antlr:antlr4-runtime:4.13.1:jar",
      ...["asm", "asm-util", "asm-tree", "asm-commons", "asm-analysis"].map((name) => `org.ow2.asm:${name}:9.7:jar`),
    ],
    policy: PAINLESS_POLICY,
  },
];

/** Downloads are kept next to node_modules between runs and are not committed. */
export const CACHE: string = fileURLToPath(new URL("../../node_modules/.cache/opensearch", import.meta.url));

/** @param cache  folder that outlives a run */
export function haveDistribution(cache: string): Distribution {
  const { home: javaHome, major } = findJava();
  const wanted = major >= 21 ? NEW : OLD;
  const folder = join(cache, `opensearch-${wanted.version}`);
  if (!existsSync(join(folder, ".whole"))) assemble(cache, folder, wanted);
  return { version: wanted.version, folder, javaHome };
}

/**
 * Java from OPENSEARCH_JAVA_HOME, otherwise the newest; 11 or newer. @throws Error that says what
 * to install
 */
function findJava(): { home: string; major: number } {
  const jvm = "/usr/lib/jvm";
  const installed = existsSync(jvm) ? readdirSync(jvm).map((name) => join(jvm, name)) : [];
  const { OPENSEARCH_JAVA_HOME: wanted, JAVA_HOME: usual } = process.env;
  const known =
    wanted === undefined ? [...(usual === undefined ? [] : [usual]), ...installed, ...javaOfPath()] : [wanted];
  const homes = known.filter((home) => existsSync(join(home, "bin", "java")));
  const found = homes.map((home) => ({ home, major: majorOf(home) })).filter(({ major }) => major >= 11);
  const best = found.sort((a, b) => b.major - a.major)[0];
  if (best !== undefined) return best;
  throw new Error(
    "No Java 11 or newer was found: install one (Debian: apt-get install openjdk-17-jre-headless), or name it in OPENSEARCH_JAVA_HOME.",
  );
}

function javaOfPath(): string[] {
  try {
    const output = execFileSync("java", ["-XshowSettings:properties", "-version"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const home = /java\.home = (.+)/.exec(output.toString())?.[1];
    return home === undefined ? [] : [home.trim()];
  } catch {
    return [];
  }
}

function majorOf(home: string): number {
  try {
    const release = readFileSync(join(home, "release"), "utf8");
    return Number(/JAVA_VERSION="(?:1\.)?(\d+)/.exec(release)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function assemble(cache: string, folder: string, { version, server, knn }: typeof NEW): void {
  const downloads = join(cache, `downloads-${version}`);
  const modules = version === OLD.version ? modulesOf(version) : [];
  const zips = [
    `org.opensearch.distribution.integ-test-zip:opensearch:${version}:zip`,
    `org.opensearch.plugin:opensearch-knn:${version}.0:zip`,
  ];
  download(downloads, [...zips, ...modules.flatMap(({ artifacts }) => artifacts)]);
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  unpack(join(downloads, `opensearch-${version}.zip`), {
    into: fresh,
    strip: `opensearch-${version}/`,
    sha256: server,
  });
  const plugin = join(fresh, "plugins", "opensearch-knn");
  unpack(join(downloads, `opensearch-knn-${version}.0.zip`), { into: plugin, strip: "", sha256: knn });
  for (const module of modules) addModule(fresh, { ...module, version, downloads });
  for (const program of readdirSync(join(fresh, "bin"))) chmodSync(join(fresh, "bin", program), 0o755);
  writeFileSync(join(fresh, ".whole"), "");
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

/**
 * Uses Maven, so that its settings (a mirror, a proxy) apply. @throws Error that says what to
 * install
 */
function download(into: string, artifacts: string[]): void {
  mkdirSync(into, { recursive: true });
  const items = artifacts.map((artifact) => {
    const [group, name, version, type] = artifact.split(":");
    return `<artifactItem><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version><type>${type}</type></artifactItem>`;
  });
  const pom = join(into, "pom.xml");
  writeFileSync(
    pom,
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><packaging>pom</packaging><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId><configuration><useBaseVersion>true</useBaseVersion><outputDirectory>${into}</outputDirectory><artifactItems>${items.join("")}</artifactItems></configuration></plugin></plugins></build></project>`,
  );
  try {
    execFileSync("mvn", ["-B", "-q", "-f", pom, "dependency:copy"], { stdio: ["ignore", "inherit", "inherit"] });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new Error("Maven fetches OpenSearch, and is not installed (Debian: apt-get install maven).", { cause });
  }
}

function unpack(zip: string, { into, strip, sha256 }: { into: string; strip: string; sha256: string }): void {
  const bytes = readFileSync(zip);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sha256) throw new Error(`${zip} is not the file that was expected: SHA-256 ${found}`);
  // location data under another licence, which is not needed
  const files = unzipSync(bytes, { filter: ({ name }) => !name.includes("/ingest-geoip/") && !name.endsWith("/") });
  for (const [name, content] of Object.entries(files)) {
    const path = join(into, name.startsWith(strip) ? name.slice(strip.length) : name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function addModule(
  distribution: string,
  { name, className, artifacts, policy, version, downloads }: Module & { version: string; downloads: string },
): void {
  const folder = join(distribution, "modules", name);
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  for (const artifact of artifacts) {
    const [, file, release] = artifact.split(":");
    const jar = `${file}-${release}.jar`;
    writeFileSync(join(folder, jar), readFileSync(join(downloads, jar)));
  }
  const lines = [
    `description=${name}`,
    `version=${version}`,
    `name=${name}`,
    `classname=${className}`,
    "java.version=11",
    `opensearch.version=${version}`,
    "custom.foldername=",
    "extended.plugins=",
    "has.native.controller=false",
  ];
  writeFileSync(join(folder, "plugin-descriptor.properties"), `${lines.join("\n")}\n`);
  if (policy !== undefined) writeFileSync(join(folder, "plugin-security.policy"), policy);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`OpenSearch ${haveDistribution(CACHE).version}`);
