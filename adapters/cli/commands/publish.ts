/** `verbatim publish`: an index as a folder for a static host, with a page that asks it in the browser. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { SiteLevel } from "../../../src/publish/site-manifest.js";
import { formatBytes } from "../../node/documents/skip.js";
import { examples, indexOption, jsonOption, modelFolder, modelOption } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { counted } from "../render/terminal.js";

interface PublishFlags {
  index: string;
  out: string;
  level: SiteLevel;
  title?: string;
  base?: string;
  model?: string;
  force?: boolean;
  json?: boolean;
}

export function registerPublish(program: Command, context: CliContext): void {
  program
    .command("publish")
    .summary("a static site that answers without a server")
    .description(
      "Writes a folder that any static host can serve: a page, and the index in files that the browser reads as it needs them. Published again, it writes only what changed.",
    )
    .addOption(indexOption())
    .addOption(new Option("--out <dir>", "folder of the site; new, or published before").makeOptionMandatory())
    .addOption(
      new Option("--level <name>", "terms: the nearest sentences, no model to load; full: exact words too")
        .choices(["terms", "full"])
        .default("full"),
    )
    .addOption(new Option("--title <text>", "heading of the page (default: Verbatim)"))
    .addOption(
      new Option("--base <path>", "folder on the host, as /answers/ (default: addresses relative to the page)"),
    )
    .addOption(modelOption())
    .addOption(new Option("--force", "also into a folder that holds something else; what lies there stays"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim publish --index ./my.index --out ./site",
        "python3 -m http.server --directory ./site        # then open http://localhost:8000/",
        'verbatim publish --index ./my.index --out ./site --level terms --title "Our manual"',
      ])}\nExit status: 0 published, 2 wrong use or a folder of something else, 3 broken index or full disk, 130 stopped.\n`,
    )
    .action((flags: PublishFlags) => publish(flags, context.io));
}

async function publish(flags: PublishFlags, io: Io): Promise<void> {
  const { publishSite } = await import("../../node/publish/publish-site.js");
  const { level, title, base, force } = flags;
  const report = await publishSite({
    index: resolve(io.cwd, flags.index),
    out: resolve(io.cwd, flags.out),
    level,
    title,
    base,
    force,
    modelFolder: modelFolder(flags.model, io),
    signal: io.signal,
  });
  if (report.absoluteSources.length > 0) {
    const [first] = report.absoluteSources;
    const hint = "Index again from the folder above the documents, with relative paths, to keep them to yourself.";
    printLine(io.stderr, `verbatim: visitors will see paths of this machine, like ${first}.\n  hint: ${hint}`);
  }
  if (flags.json) {
    printLine(io.stdout, JSON.stringify({ index: flags.index, out: flags.out, ...report }));
    return;
  }
  const { documents, bytes, written, unchanged, writtenBytes } = report;
  const { start, terms, texts, list, page, index, model } = bytes;
  const line = (label: string, size: number): void =>
    printLine(io.stdout, `  ${label.padEnd(46)}${formatBytes(size).padStart(10)}`);
  printLine(io.stdout, `${flags.out} holds ${counted(documents, "document")}.`);
  line("page", page);
  line("start file: vocabulary, where what lies", start);
  line("words: a question reads a file or two a word", terms);
  line("texts: a question reads a file an answer", texts + list);
  if (level === "full") {
    line("index for exact words, read in parts", index);
    line("model and runtime, loaded once", model);
  }
  const rest = unchanged === 0 ? "" : `; ${counted(unchanged, "file")} left as they were`;
  printLine(io.stdout, `${counted(written, "file")} written (${formatBytes(writtenBytes)})${rest}.`);
}
