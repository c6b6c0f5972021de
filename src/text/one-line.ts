/** The text with every run of white space as one space, and none at the ends. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
