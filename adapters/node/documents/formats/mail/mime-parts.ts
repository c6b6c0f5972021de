/** How many parts a message has, without parsing it. */

const LINE = Buffer.from("\n--");
/** RFC 2046 §5.1.1 allows 70 characters in a boundary. */
const MAX_BOUNDARY = 70;
const DECLARED = /boundary\s{0,5}=\s{0,5}(?:"([^"\r\n]{1,70})"|([^"\s;]{1,70}))/gi;

/** Whether more than `maxParts` lines of a message begin a part: "--" and a boundary that is declared in it. */
export function hasMoreParts(bytes: Uint8Array, maxParts: number): boolean {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (countFrom(content, maxParts, () => true) <= maxParts) return false;
  const declared = content.toString("latin1").matchAll(DECLARED);
  const boundaries = new Set(Array.from(declared, ([, quoted, bare]) => (quoted ?? bare)!));
  const isPart = (start: number) => {
    const line = content
      .toString("latin1", start, start + MAX_BOUNDARY + 4)
      .split(/[\r\n]/, 1)[0]!
      .trimEnd();
    return boundaries.has(line) || (line.endsWith("--") && boundaries.has(line.slice(0, -2)));
  };
  return countFrom(content, maxParts, isPart) > maxParts;
}

/** Lines that begin with "--" and pass; stops once they are more than `maxCount`. */
function countFrom(content: Buffer, maxCount: number, passes: (start: number) => boolean): number {
  let count = 0;
  for (let at = content.indexOf(LINE); at >= 0 && count <= maxCount; at = content.indexOf(LINE, at + LINE.length)) {
    if (passes(at + LINE.length)) count++;
  }
  return count;
}
