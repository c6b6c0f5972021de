/** Control characters, which begin terminal escapes, and marks that change the text direction. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A word of a suggested command, quoted if a shell would otherwise divide or expand it. */
export function shellWord(text: string): string {
  if (/^[\w./@:%+=,~-]+$/.test(text)) return text;
  return `'${text.replace(UNSAFE, " ").replaceAll("'", "'\\''")}'`;
}
