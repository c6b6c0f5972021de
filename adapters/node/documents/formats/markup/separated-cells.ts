/** Cells of tables that have separated values inside other markup. */

/**
 * The cells of a line with a separator between them, of which some may be quoted.
 * @returns isOpen: the last cell begins with a quotation mark and is not closed
 */
export function separatedCells(line: string, separator: string): { cells: string[]; isOpen: boolean } {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    let end = line.indexOf(separator, at);
    if (line[at] === '"') {
      let close = line.indexOf('"', at + 1);
      while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
      if (close < 0) return { cells, isOpen: true };
      end = line.indexOf(separator, close);
      const rest = line.slice(close + 1, end < 0 ? undefined : end);
      cells.push(line.slice(at + 1, close).replaceAll('""', '"') + rest);
    } else cells.push(line.slice(at, end < 0 ? undefined : end));
    if (end < 0) return { cells, isOpen: false };
    at = end + separator.length;
    while (line[at] === " ") at++;
  }
}
