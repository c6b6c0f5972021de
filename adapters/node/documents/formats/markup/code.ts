/**
 * Source code: comments and docstrings, each below the declaration that it describes, and constants with their values.
 * Code is never run.
 */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import { splitName } from "../../detect-format.js";
import type { ReadContext } from "../../input.js";
import { indentOf, linesOf } from "../text-lines.js";
import { readTxt } from "../txt.js";
import { type CodeComment, commentsOf } from "./code-comments.js";
import { languageOf } from "./code-languages.js";
import { readMarkup } from "./markup-writer.js";

/**
 * Title: the file's name. Places are lines; the lines that declare what a comment describes are headings, by indent. A
 * line of code with a comment after it is kept whole, and so is a line that gives a constant its value. A file without comments is read as plain text.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` beyond the limits
 */
export function readCode(bytes: Uint8Array, context: ReadContext): Document[] {
  const { ending } = splitName(context.input.path);
  let found = 0;
  const documents = readMarkup(bytes, context, {
    kind: "code",
    write: (source, writer) => {
      const lines = linesOf(source);
      writer.title = ending === "" ? context.name : `${context.name}.${ending}`;
      /** Lines before this one (from 0) are written or left out. */
      let done = 0;
      let described = -1;
      const writeConstants = (end: number) => {
        for (; done < end; done++) {
          const line = lines[done]!;
          if (done !== described && line.length <= MAX_HEADING_UNITS && CONSTANT.test(oneLine(line)))
            writer.line(line.trim(), done + 1);
        }
        writer.blank();
      };
      for (const comment of commentsOf(source, languageOf(ending))) {
        const texts = comment.lines.map(({ text, number }) => ({ text: cleaned(text), number }));
        if (!texts.some(({ text }) => /\p{L}{2}/u.test(text))) continue;
        found++;
        writer.blank();
        writeConstants(texts[0]!.number - 1);
        done = Math.max(done, texts.at(-1)!.number);
        const declared = comment.isTrailing ? undefined : declarationOf(lines, comment);
        if (comment.isTrailing) texts[0]!.text = trailingText(lines[texts[0]!.number - 1]!, texts[0]!.text);
        if (declared !== undefined) {
          const line = lines[declared]!;
          described = declared;
          writer.heading(headingText(line), 1 + Math.min(20, indentOf(line)), declared + 1);
        }
        for (const { text, number } of texts) {
          if (text === "") writer.blank();
          else writer.line(text, number);
        }
        writer.blank();
      }
      writeConstants(lines.length);
    },
  });
  return found > 0 ? documents : readTxt(bytes, context);
}

const MAX_HEADING_UNITS = 200;

/** A number or a string for a name in capitals: "MAX_GUESTS = 44", "static final int MAX_GUESTS = 44;". */
const CONSTANT =
  /^(?:#define [A-Z][A-Z\d_]+ |(?:[\w:]+ ){0,5}[A-Z][A-Z\d_]+ ?(?::[^=:]{1,40})?= ?)(?:[-+]?\d[\w.]*|"[^"]*"|'[^']*') ?[;,]?$/;

function headingText(line: string): string {
  const bare = line.trim().replace(/[{:=]$/, "");
  return bare.trimEnd().slice(0, MAX_HEADING_UNITS);
}

/**
 * A comment after code describes that code: the whole line is read, unless the code is long or only closes something.
 */
function trailingText(line: string, comment: string): string {
  const end = line.lastIndexOf(comment);
  const code = line.slice(0, Math.max(0, end));
  return end <= MAX_HEADING_UNITS && /[\p{L}\p{N}]/u.test(code) ? oneLine(line) : comment;
}

/** A line of a comment without what decorates it: "*", rulers, a second comment mark. */
function cleaned(text: string): string {
  const bare = text
    .trim()
    .replace(/^(?:\*+|\/+|!+|#+|;+|-{2,})(?=\s|$)/, "")
    .trim();
  return /^[-=*#~_/\\|+.]{3,}$/.test(bare) ? "" : bare;
}

const DECLARATION =
  /^(?:export\s|default\s|declare\s|pub(?:\([a-z]+\))?\s|public\s|private\s|protected\s|internal\s|static\s|final\s|abstract\s|async\s|virtual\s|override\s|inline\s|extern\s|unsafe\s|const\s|readonly\s|local\s|open\s|sealed\s|data\s|partial\s|template\s*<[^>]*>\s)*(?:function\b|class\b|interface\b|type\b|enum\b|struct\b|union\b|trait\b|impl\b|mod\b|module\b|namespace\b|package\b|object\b|protocol\b|extension\b|fn\b|func\b|fun\b|def\b|defp?\b|defmodule\b|defmacro\b|sub\b|let\b|const\b|var\b|val\b|create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|index)\b|\(def\w*\s|#define\s|[\w$#]+\s*[=:(])/i;

/** "int main(int argc)", "std::string name =": a function or variable without a word that says so. */
function isSignature(line: string): boolean {
  const open = line.indexOf("(");
  const end = open >= 0 ? open : line.endsWith("=") ? line.length - 1 : 0;
  return end <= MAX_NAME_UNITS && /^[\w$#<>[\],.*&:?\s]+$/.test(line.slice(0, end)) && !line.includes(";", end);
}

const MAX_NAME_UNITS = 120;

/** Lines between a comment and what it describes. */
const MAX_DISTANCE = 4;

/** Number (from 0) of the line that a comment describes: below it, or for a docstring above it. */
function declarationOf(lines: readonly string[], { lines: own, isDocstring }: CodeComment): number | undefined {
  if (isDocstring) {
    for (let i = own[0]!.number - 2; i >= Math.max(0, own[0]!.number - 2 - 10); i--) {
      if (/^\s*(?:async\s+def|def|class)\s/.test(lines[i]!)) return i;
    }
    return undefined;
  }
  const after = own.at(-1)!.number;
  for (let i = after; i < Math.min(lines.length, after + MAX_DISTANCE); i++) {
    const line = lines[i]!.slice(0, 500).trim();
    // Attributes and decorators come between.
    if (/^(?:@|#\[|\[\w)/.test(line)) continue;
    if (line === "") return undefined;
    return DECLARATION.test(line) || isSignature(line) ? i : undefined;
  }
  return undefined;
}
