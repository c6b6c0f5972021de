/**
 * `verbatim completion SHELL`: prints a completion script, generated from the registered commands.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell

import type { Command } from "commander";
import { wrongUse } from "../errors.js";
import { examples } from "../options.js";
import { type CliContext, printLine } from "../process-io.js";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** The kind of value an option takes. */
type Values =
  | { kind: "choices"; choices: readonly string[] }
  | { kind: "file" }
  | { kind: "folder" }
  | { kind: "other" };

interface OptionSpec {
  /** Long and short names, such as "--help" and "-h". */
  names: readonly string[];
  description: string;
  /** Undefined for options without a value. */
  values: Values | undefined;
}

interface CommandSpec {
  /** For example "eval open"; "" for the program itself. */
  path: string;
  description: string;
  options: readonly OptionSpec[];
  subcommands: readonly { name: string; description: string }[];
  /** True if the command takes paths as arguments. */
  takesFiles: boolean;
}

export function registerCompletion(program: Command, context: CliContext): void {
  program
    .command("completion")
    .summary("print a completion script for your shell")
    .description("Prints a script that lets your shell complete commands, options and paths.")
    .argument("<shell>", SHELLS.join(", "))
    .addHelpText(
      "after",
      examples([
        'eval "$(verbatim completion bash)"                      # in ~/.bashrc',
        "verbatim completion zsh > ~/.zfunc/_verbatim            # a folder of $fpath",
        "verbatim completion fish > ~/.config/fish/completions/verbatim.fish",
      ]),
    )
    .action((shell: string) => {
      const write = WRITERS[shell as (typeof SHELLS)[number]];
      if (write === undefined) throw wrongUse(`There is no completion for ${shell}.`, `Shells: ${SHELLS.join(", ")}.`);
      printLine(context.io.stdout, write(specsOf(program)));
    });
}

/** The program and all its commands, depth first, in registration order. */
function specsOf(program: Command): CommandSpec[] {
  const below = (command: Command, path: string): CommandSpec[] => [
    specOf(command, path),
    ...command.commands.flatMap((child) => below(child, path === "" ? child.name() : `${path} ${child.name()}`)),
  ];
  return below(program, "");
}

function specOf(command: Command, path: string): CommandSpec {
  const help: OptionSpec = { names: ["--help"], description: "display help for command", values: undefined };
  const options = command.options.map((option): OptionSpec => {
    const { long, short, description, argChoices, flags } = option;
    const names = [long, short].filter((name) => name !== undefined);
    const value = /[<[]([\w-]+)/.exec(flags)?.[1];
    return { names, description, values: value === undefined ? undefined : valuesOf(value, argChoices) };
  });
  const subcommands = command.commands.map((child) => ({
    name: child.name(),
    description: child.summary() || child.description(),
  }));
  const takesFiles = command.registeredArguments.some((argument) =>
    /path|file|folder|questions|dir/.test(argument.name()),
  );
  return {
    path,
    description: command.summary() || command.description(),
    options: [...options, help],
    subcommands,
    takesFiles,
  };
}

function valuesOf(name: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: "choices", choices };
  if (name === "dir") return { kind: "folder" };
  return name.endsWith("file") ? { kind: "file" } : { kind: "other" };
}

const WRITERS: Record<(typeof SHELLS)[number], (specs: readonly CommandSpec[]) => string> = { bash, zsh, fish };

/** Quotes a text for bash, zsh and fish. */
function quoted(text: string): string {
  return `'${text.replace(/\s+/g, " ").replaceAll("'", "'\\''")}'`;
}

/** Shell functions for bash and zsh that find the command being typed. */
function shared(specs: readonly CommandSpec[]): string[] {
  const paths = specs.filter(({ path }) => path !== "").map(({ path }) => `      ${quoted(path)}) at="$next" ;;`);
  const taking = specs.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values !== undefined)
      .flatMap(({ names }) => names.map((name) => quoted(`${path} ${name}`))),
  );
  return [
    "# Sets `at` to the command before the cursor, skipping the values of options.",
    "_verbatim_at() {",
    '  at=""',
    '  local word next before=""',
    '  for word in "$@"; do',
    '    if _verbatim_takes_value "$at $before"; then before=""; continue; fi',
    '    before="$word"',
    '    next="${at:+$at }$word"',
    '    case "$next" in',
    ...paths,
    "    esac",
    "  done",
    "}",
    "_verbatim_takes_value() {",
    `  case "$1" in ${taking.join("|")}) return 0 ;; esac`,
    "  return 1",
    "}",
  ];
}

function bash(specs: readonly CommandSpec[]): string {
  const values = specs.flatMap(({ path, options }) =>
    options.flatMap(({ names, values: from }) =>
      from === undefined
        ? []
        : [`    ${names.map((name) => quoted(`${path} ${name}`)).join("|")}) ${bashValues(from)}; return ;;`],
    ),
  );
  const words = specs.map(({ path, options, subcommands, takesFiles }) => {
    const flags = options.flatMap(({ names }) => names.filter((name) => name.startsWith("--"))).join(" ");
    const names = subcommands.map(({ name }) => name).join(" ");
    return `    ${quoted(path)}) flags=${quoted(flags)} names=${quoted(names)} files=${takesFiles ? "1" : ""} ;;`;
  });
  return [
    "# bash completion of verbatim, generated by: verbatim completion bash",
    ...shared(specs),
    "_verbatim() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at flags names files',
    "  COMPREPLY=()",
    '  _verbatim_at "${COMP_WORDS[@]:1:COMP_CWORD-1}"',
    '  case "$at $prev" in',
    ...values,
    "  esac",
    '  case "$at" in',
    ...words,
    "  esac",
    '  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))',
    '  elif [[ -n "$names" ]]; then COMPREPLY=($(compgen -W "$names" -- "$cur"))',
    '  elif [[ -n "$files" ]]; then compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi',
    "}",
    "complete -F _verbatim verbatim verbatim-qa ./verbatim",
  ].join("\n");
}

function bashValues(values: Values): string {
  switch (values.kind) {
    case "choices":
      return `COMPREPLY=($(compgen -W ${quoted(values.choices.join(" "))} -- "$cur"))`;
    case "folder":
      return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur")';
    case "file":
      return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")';
    case "other":
      return ":";
  }
}

function zsh(specs: readonly CommandSpec[]): string {
  const described = (entries: readonly { name: string; description: string }[]): string =>
    entries.map(({ name, description }) => quoted(`${name}:${description}`)).join(" ");
  const values = specs.flatMap(({ path, options }) =>
    options.flatMap(({ names, values: from }) =>
      from === undefined
        ? []
        : [`    ${names.map((name) => quoted(`${path} ${name}`)).join("|")}) ${zshValues(from)}; return ;;`],
    ),
  );
  const words = specs.map(({ path, options, subcommands, takesFiles }) => {
    const flags = described(options.flatMap(({ names, description }) => names.map((name) => ({ name, description }))));
    return `    ${quoted(path)}) flags=(${flags}); names=(${described(subcommands)}); files=${takesFiles ? "1" : ""} ;;`;
  });
  return [
    "#compdef verbatim verbatim-qa",
    "# zsh completion of verbatim, generated by: verbatim completion zsh",
    ...shared(specs),
    "_verbatim() {",
    "  local at files",
    "  local -a flags names",
    '  _verbatim_at "${(@)words[2,CURRENT-1]}"',
    '  case "$at ${words[CURRENT-1]}" in',
    ...values,
    "  esac",
    '  case "$at" in',
    ...words,
    "  esac",
    '  if [[ "$PREFIX" == -* ]]; then _describe -o option flags',
    "  elif (( $#names )); then _describe command names",
    '  elif [[ -n "$files" ]]; then _files; fi',
    "}",
    '_verbatim "$@"',
  ].join("\n");
}

function zshValues(values: Values): string {
  if (values.kind === "choices") return `compadd -- ${values.choices.map(quoted).join(" ")}`;
  if (values.kind === "folder") return "_files -/";
  return values.kind === "file" ? "_files" : ":";
}

function fish(specs: readonly CommandSpec[]): string {
  const lines = specs.flatMap(({ path, options, subcommands, takesFiles }) => {
    const names = path.split(" ").filter((name) => name !== "");
    const deeper = subcommands.map(({ name }) => name).join(" ");
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const not = deeper === "" ? [] : [`not __fish_seen_subcommand_from ${deeper}`];
    const when = quoted([...seen, ...not].join("; and ") || "true");
    const commands = subcommands.map(
      ({ name, description }) => `complete -c verbatim -n ${when} -f -a ${name} -d ${quoted(description)}`,
    );
    const flags = options.map(({ names: all, description, values }) => {
      const long = all.find((name) => name.startsWith("--"))!.slice(2);
      return `complete -c verbatim -n ${when} -l ${long}${fishValues(values)} -d ${quoted(description)}`;
    });
    return [
      ...commands,
      ...flags,
      ...(takesFiles || subcommands.length > 0 ? [] : [`complete -c verbatim -n ${when} -f`]),
    ];
  });
  return ["# fish completion of verbatim, generated by: verbatim completion fish", ...lines].join("\n");
}

function fishValues(values: Values | undefined): string {
  if (values === undefined) return "";
  if (values.kind === "choices") return ` -x -a ${quoted(values.choices.join(" "))}`;
  if (values.kind === "folder") return " -x -a '(__fish_complete_directories)'";
  return values.kind === "file" ? " -r -F" : " -x";
}
