/** Lines of a text stream, one at a time, with bounded memory. */

interface Line {
  /** 1-based. */
  number: number;
  /** Without its line end ("\n" or "\r\n"); undefined when it is longer than the limit. */
  text: string | undefined;
}

/** @param maxUnits  UTF-16 units of a line; a longer one is yielded without its text */
export async function* lines(stream: AsyncIterable<string>, maxUnits: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  const take = (piece: string) => {
    length += piece.length;
    if (length <= maxUnits) parts.push(piece);
    else parts = [];
  };
  const end = (): Line => {
    const text = length > maxUnits ? undefined : parts.join("");
    parts = [];
    length = 0;
    return { number: number++, text: text?.endsWith("\r") ? text.slice(0, -1) : text };
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
      take(chunk.slice(from, at));
      from = at + 1;
      yield end();
    }
    if (from < chunk.length) take(chunk.slice(from));
  }
  if (length > 0) yield end();
}
