/** Codes of terminals in logs and in the output of programs: colours, and moves of the cursor. */

const INTRODUCER = "\u001b[";
/** What follows the introducer in a control sequence: parameters, intermediate characters and a final one. */
const REST = /^[0-9:;<=>?]*[ -/]*[@-~]/;

/** The text without control sequences (ECMA-48, §5.4): "ESC [ 1 ; 31 m". O(text) */
export function withoutTerminalCodes(text: string): string {
  if (!text.includes(INTRODUCER)) return text;
  const [first, ...parts] = text.split(INTRODUCER);
  return first + parts.map((part) => part.replace(REST, "")).join("");
}
