/**
 * Patterns with classes of all of Unicode take a millisecond each to compile, which a program that has just begun spends on its first answer; most text
 * that they look at is ASCII, for which a short pattern says the same.
 */

const ASCII = /^[\0-\x7f]*$/;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** A pattern for any text, and the one that finds the same in ASCII. */
export interface Pattern {
  ascii: RegExp;
  full: RegExp;
}

export function exec({ ascii, full }: Pattern, text: string): RegExpExecArray | null {
  return (isAscii(text) ? ascii : full).exec(text);
}

export function test({ ascii, full }: Pattern, text: string): boolean {
  return (isAscii(text) ? ascii : full).test(text);
}
