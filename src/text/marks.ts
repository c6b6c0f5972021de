/** Accents, vowel signs and other marks, which belong to the character before them. */

/** The first mark of Unicode. */
export const FIRST_MARK = 0x300;
const MARK = /\p{M}/u;

/** Whether each unit is a mark, once it is known: testing for it takes as long as folding a letter. */
const known = new Uint8Array(0x10000);
const IS_MARK = 1;
const IS_OTHER = 2;

/** True if a mark is at `at`. */
export function isMark(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false; // a unit that is NaN would slow the calling loop down
  const unit = text.charCodeAt(at);
  if (unit < FIRST_MARK) return false;
  if (unit >= 0xd800 && unit < 0xdc00) return MARK.test(String.fromCodePoint(text.codePointAt(at)!));
  if (known[unit] === 0) known[unit] = MARK.test(text[at]!) ? IS_MARK : IS_OTHER;
  return known[unit] === IS_MARK;
}

/** The end of the run of marks at `at`, or of those that end at or before `limit`. */
export function marksEnd(text: string, at: number, limit: number): number {
  let end = at;
  while (isMark(text, end)) {
    const next = end + (text.codePointAt(end)! > 0xffff ? 2 : 1);
    if (next > limit) break;
    end = next;
  }
  return end;
}
