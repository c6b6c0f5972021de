/** Codes of terminals in logs and in the output of programs: colours, and moves of the cursor. */

const CODE = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/** The text without control sequences (ECMA-48, §5.4): "ESC [ 1 ; 31 m". O(text) */
export function withoutTerminalCodes(text: string): string {
  return text.includes("\u001b[") ? text.replace(CODE, "") : text;
}
