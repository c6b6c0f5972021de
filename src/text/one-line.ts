/** Text on one line, and where it may be cut: at a space, or between characters of scripts that have none. */

import { isUnspaced } from "./blocks.js";

/** The text with every run of white space as one space, and none at the ends. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Marks that belong to what is before them. */
const NOT_FIRST = /^[\p{Pe}\p{Pf}\p{Po}\p{Pd}\p{M}\p{Sk}ー々]/u;
/** Opening marks belong to what is after them. */
const NOT_LAST = /[\p{Ps}\p{Pi}]$/u;

/**
 * The last such place up to `limit`: `text.slice(0, place)` fits.
 * @returns −1 if there is none
 */
export function lastCut(text: string, limit: number): number {
  for (let at = Math.min(limit, text.length); at > 0; at--) if (mayCut(text, at)) return at;
  return -1;
}

/** The first such place from `from` on, behind the space if there is one. @returns −1 if there is none */
export function firstCut(text: string, from: number): number {
  for (let at = Math.max(from, 1); at < text.length; at++) if (mayCut(text, at)) return text[at] === " " ? at + 1 : at;
  return -1;
}

/** White space is expected to be single spaces. */
function mayCut(text: string, at: number): boolean {
  if (text[at] === " ") return true;
  if (!isBreak(text, at - 1) && !isBreak(text, at)) return false;
  return !NOT_FIRST.test(text.slice(at, at + 2)) && !NOT_LAST.test(text.slice(0, at).slice(-1));
}

/** True for Chinese characters and kana, and for Thai consonants, which begin most syllables. */
function isBreak(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return isUnspaced(unit) || (unit >= 0x0e01 && unit <= 0x0e2e);
}
