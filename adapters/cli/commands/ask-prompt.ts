/** `verbatim ask` without a question: answers questions line by line, from a prompt or a pipe. */

import { createInterface } from "node:readline/promises";
import { throwIfAborted } from "../../../src/errors.js";
import { reportError, toVerbatimError, wrongUse } from "../errors.js";
import { exitStatus, printLine } from "../process-io.js";
import { count, plain } from "../render/terminal.js";
import { answerOne, type Session } from "./ask.js";

/** @returns the exit status: 130 after Ctrl-C; at a pipe, whether any question had an answer */
export async function answerAll(given: Session): Promise<number> {
  const { io, flags, index } = given;
  const interactive = io.stdin.isTTY === true;
  // a file or pipe gets only the answers, without the prompt and what is typed
  const promptsTo = io.stdout.isTTY === true ? "stdout" : "stderr";
  const { documents, passages } = index.info;
  if (interactive) {
    printLine(
      io.stderr,
      `${count(documents)} documents, ${count(passages)} passages. One question per line; Ctrl-D to quit.`,
    );
  }
  const lines = createInterface({
    input: io.stdin,
    ...(interactive
      ? { output: process[promptsTo], terminal: io[promptsTo].isTTY === true, prompt: "? " }
      : { crlfDelay: Number.POSITIVE_INFINITY }),
  });
  // at a prompt, Ctrl-C is a key: the process gets no signal
  const interrupt = new AbortController();
  const signal = AbortSignal.any([io.signal, interrupt.signal]);
  const session = { ...given, askOptions: { ...given.askOptions, signal } };
  let closed = false;
  const stop = (): void => lines.close();
  const prompt = (): void => {
    if (interactive && !closed) lines.prompt();
  };
  lines.on("close", () => {
    closed = true;
  });
  lines.on("SIGINT", () => {
    interrupt.abort();
    stop();
  });
  io.signal.addEventListener("abort", stop, { once: true });
  let asked = 0;
  let found = false;
  try {
    prompt();
    for await (const line of lines) {
      if (signal.aborted) break;
      if (line.trim() !== "") {
        if (!interactive && !flags.json) printLine(io.stdout, `${asked > 0 ? "\n" : ""}? ${line.trim()}`);
        asked++;
        if (interactive) await refreshOrWarn(session);
        if (await answerOrReport(session, line)) found = true;
      }
      prompt();
    }
  } finally {
    io.signal.removeEventListener("abort", stop);
    lines.close();
  }
  throwIfAborted(io.signal);
  if (interactive) printLine(io[promptsTo], "");
  if (signal.aborted) return exitStatus.stopped;
  if (!interactive && asked === 0) {
    throw wrongUse(
      "Standard input has no question.",
      'For example: verbatim ask "who founded the observatory?", or one question per line from a pipe.',
    );
  }
  return found || interactive ? exitStatus.ok : exitStatus.noAnswer;
}

/** Switches to the newest version of the index; if that fails, the current version answers. */
async function refreshOrWarn({ index, io, askOptions: { signal } }: Session): Promise<void> {
  try {
    await index.refresh({ signal });
  } catch (error) {
    if (signal?.aborted) return;
    const { message } = toVerbatimError(error);
    printLine(io.stderr, `note: ${plain(message)} Answering from version ${index.version}.`);
  }
}

/** Reports an invalid question without ending the session; with --json, as a line among the results. */
async function answerOrReport(session: Session, question: string): Promise<boolean> {
  try {
    return await answerOne(session, question.trim());
  } catch (error) {
    const reported = toVerbatimError(error);
    if (reported.code !== "invalid-argument") throw error;
    const { io, flags } = session;
    const { code, message } = reported;
    if (flags.json) printLine(io.stdout, JSON.stringify({ question: question.trim(), error: { code, message } }));
    else reportError(reported, { stderr: io.stderr, json: false, debug: false });
    return false;
  }
}
