/** Raised digits as characters of their own: without them, "10<sup>6</sup>" would read "106", and a footnote's number would join the word before it. */

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  ...{ 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" },
  ...{ "+": "⁺", "-": "⁻", "−": "⁻", "–": "⁻" },
};

/** Text of only digits and signs in superscript characters; other text, as in "1st", is unchanged. */
export function superscript(text: string): string {
  return /^[\d+\-−–]+$/.test(text) ? Array.from(text, (character) => SUPERSCRIPTS[character]!).join("") : text;
}
