/**
 * A result as the HTTP API returns it: the common JSON form with public names, the version, and
 * passage texts.
 */

import type { AskResult } from "../../../src/ask/result.js";
import { resultJson } from "../../../src/ask/result-json.js";
import type { Answer } from "../../../src/search/types.js";
import type { PathRedactor } from "./path-redactor.js";
import type { ResultView } from "./schemas.js";

interface ViewOptions {
  redactor: PathRedactor;
  version: number;
  /** Reads the text of an answer's passage, for /v1/explain. */
  passageText?: (answer: Answer) => Promise<string | undefined>;
}

export async function resultView(result: AskResult, options: ViewOptions): Promise<ResultView> {
  const { redactor, version, passageText } = options;
  const view: ResultView = { ...resultJson(result, redactor), version };
  if (passageText === undefined) return view;
  for (const [n, answer] of result.answers.entries()) {
    const text = await passageText(answer);
    if (text === undefined) continue;
    view.answers[n]!.passage = { start: answer.passageStart, end: answer.passageEnd, text };
  }
  return view;
}
