/** Texts with marked parts. */

import type { ComponentChildren } from "preact";
import type { Answer } from "./api.js";
import { contextMarks } from "./context-marks.js";

/** The sentence, list or row that contains an answer, with the answer marked. */
export function Sentence({ answer }: { answer: Answer }) {
  const from = answer.start - answer.contextStart;
  const to = answer.end - answer.contextStart;
  const { context, text } = answer;
  if (from < 0 || context.slice(from, to) !== text) {
    return (
      <p class="sentence" dir="auto">
        <mark>{text}</mark> — {context}
      </p>
    );
  }
  return (
    <p class={`sentence ${answer.shown}`} dir="auto">
      {answer.header !== undefined && <span class="header">{`${answer.header.text}\n`}</span>}
      <Marked answer={answer} />
    </p>
  );
}

/** The context with the answer marked, and what else was a candidate in it weakly. */
function Marked({ answer }: { answer: Answer }) {
  const { context } = answer;
  const pieces: ComponentChildren[] = [];
  let at = 0;
  for (const { start, end, isAnswer } of contextMarks(answer)) {
    const words = context.slice(start, end);
    pieces.push(context.slice(at, start), <mark class={isAnswer ? undefined : "also"}>{words}</mark>);
    at = end;
  }
  pieces.push(context.slice(at));
  return <>{pieces}</>;
}

interface MarkedPart {
  start: number;
  end: number;
  answer: boolean;
  /** Weight of the n-gram relative to the strongest, 0 to 1. */
  strength: number;
}

/** The passage of an answer, with the n-grams that raised its score underlined by strength. */
export function MarkedPassage({ answer }: { answer: Answer }) {
  const { passage } = answer;
  if (passage === undefined) return null;
  const { text } = passage;
  const marked: MarkedPart[] = [
    { start: answer.start - passage.start, end: answer.end - passage.start, answer: true, strength: 1 },
  ];
  const strongest = Math.max(...(answer.ngrams ?? []).map(({ weight }) => weight), Number.MIN_VALUE);
  for (const { text: words, weight } of answer.ngrams ?? []) {
    for (const [start, end] of occurrences(text, words)) {
      if (marked.every((other) => end <= other.start || start >= other.end)) {
        marked.push({ start, end, answer: false, strength: weight / strongest });
      }
    }
  }
  marked.sort((a, b) => a.start - b.start);
  const pieces: ComponentChildren[] = [];
  let at = 0;
  for (const { start, end, answer: isAnswer, strength } of marked) {
    pieces.push(text.slice(at, start));
    const words = text.slice(start, end);
    pieces.push(
      isAnswer ? (
        <mark>{words}</mark>
      ) : (
        <span class={`ngram ngram-${strength > 0.5 ? "strong" : "weak"}`}>{words}</span>
      ),
    );
    at = end;
  }
  pieces.push(text.slice(at));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the passage scrolls, also by keyboard
    <p class="passage" dir="auto" tabIndex={0}>
      {pieces}
    </p>
  );
}

const UNSPACED_START = /^\s*[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Hang}]/u;
const UNSPACED_END = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Hang}ー]\s*$/u;

/** Positions of the words in the text, ignoring case and spacing. */
function occurrences(text: string, words: string): [number, number][] {
  const parts = words
    .trim()
    .split(/\s+/)
    .filter((part) => part !== "");
  if (parts.length === 0) return [];
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s*");
  // Characters of scripts without spaces are words wherever they are.
  const before = UNSPACED_START.test(words) ? "" : "(?<![\\p{L}\\p{N}])";
  const after = UNSPACED_END.test(words) ? "" : "(?![\\p{L}\\p{N}])";
  const regex = new RegExp(`${before}${pattern}${after}`, "giu");
  return [...text.matchAll(regex)].map((match) => [match.index, match.index + match[0].length]);
}
