/** `verbatim publish`: writes an index as a static site that answers in the browser. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { SiteLevel } from "../../../src/publish/site-manifest.js";
import { formatBytes } from "../../node/documents/skip.js";
import { examples, indexOption, jsonOption, modelOf, modelOption, notEmpty } from "../options.js";
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
    .summary("write a static site that answers without a server")
    .description(
      "Writes a folder that any static host can serve: a page, and the index in files that the browser loads on demand. Publishing again writes only changed files.",
    )
    .addOption(indexOption("publish"))
    .addOption(
      new Option("--out <dir>", "folder of the site: a new or empty folder, or a site published before")
        .argParser(notEmpty)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--level <name>", "terms: the best sentences, without loading a model; full: exact answers too")
        .choices(["terms", "full"])
        .default("full"),
    )
    .addOption(new Option("--title <text>", "heading of the page (default: Verbatim)"))
    .addOption(new Option("--base <path>", "path on the host, such as /answers/ (default: relative addresses)"))
    .addOption(modelOption())
    .addOption(new Option("--force", "write into a folder that contains other files; they are kept"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim publish --index ./my.index --out ./site",
        "python3 -m http.server --directory ./site        # then open http://localhost:8000/",
        'verbatim publish --index ./my.index --out ./site --level terms --title "Our manual"',
      ])}\nExit status: 0 published, 2 usage error or a folder with other files, 3 unusable index or full disk, 130 stopped.\n`,
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
    ...modelOf(flags.model, io),
    signal: io.signal,
  });
  if (report.absoluteSources.length > 0) {
    const [first] = report.absoluteSources;
    const hint = "To hide them, index again with relative paths from the folder above the documents.";
    printLine(io.stderr, `verbatim: Visitors will see paths of this machine, such as ${first}.\n  hint: ${hint}`);
  }
  if (flags.json) {
    printLine(io.stdout, JSON.stringify({ index: flags.index, out: flags.out, ...report }));
    return;
  }
  const { documents, bytes, written, unchanged, writtenBytes } = report;
  const { start, terms, texts, list, page, index, model } = bytes;
  const line = (label: string, size: number): void =>
    printLine(io.stdout, `  ${label.padEnd(46)}${formatBytes(size).padStart(10)}`);
  printLine(io.stdout, `${flags.out} contains ${counted(documents, "document")}.`);
  line("page", page);
  line("start file: vocabulary and offsets", start);
  line("terms: one or two files per word of a question", terms);
  line("texts: one file per answer", texts + list);
  if (level === "full") {
    line("index for exact answers, loaded in parts", index);
    line("model and runtime, loaded once", model);
  }
  const rest = unchanged === 0 ? "" : `; ${counted(unchanged, "file")} unchanged`;
  printLine(io.stdout, `${counted(written, "file")} written (${formatBytes(writtenBytes)})${rest}.`);
}
