/**
 * Patterns with Unicode classes take a millisecond each to compile, which a cold process would spend on
 * its first answer. Most text is ASCII, for which a short equivalent pattern is enough.
 */

const ASCII = /^[\0-\x7f]*$/;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** A pattern for any text, and an equivalent one for ASCII. */
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
