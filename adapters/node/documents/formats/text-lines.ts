/** Lines of a text: how it is divided, and how one looks. */

/** Lines without their ends. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** Number of white-space characters that a line begins with. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
