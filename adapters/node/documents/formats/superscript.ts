/**
 * Raised text as characters of its own: without them, "10<sup>6</sup>" would read "106", and a footnote's number
 * would join the word before it.
 */

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  ...{ 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" },
  ...{ "+": "⁺", "-": "⁻", "−": "⁻", "–": "⁻" },
};

const DECIMAL = /^[+\-−–]?\d+\.\d+$/;
/** Numbers of several notes. */
const NOTES = /^\d+(?:, ?\d+)+$/;
/** "n", "-x": letters that are exponents rather than marks of notes or ends of ordinals. */
const VARIABLE = /^[+\-−–]?[nxkt]$/;
/** "n+1", "2k-1" */
const SUM = /^(?:\d*[a-z])(?:[+\-−–](?:\d+|\d*[a-z]))+$/i;

/**
 * Digits and signs in superscript characters, and other exponents with a circumflex: "⁻³", "^-3.5", "^n", "^(n+1)".
 * Other text, as in "1st", is unchanged.
 */
export function superscript(text: string): string {
  if (DECIMAL.test(text) || VARIABLE.test(text)) return `^${text}`;
  if (SUM.test(text)) return `^(${text})`;
  return NOTES.test(text) ? text.replace(/\d/g, (digit) => SUPERSCRIPTS[digit]!) : superscriptDigits(text);
}

/** Text of only digits and signs in superscript characters; other text is unchanged. */
export function superscriptDigits(text: string): string {
  return /^[\d+\-−–]+$/.test(text) ? Array.from(text, (character) => SUPERSCRIPTS[character]!).join("") : text;
}
