/** The tokens of a passage with rows of tables, with the name of its column before each cell. */

import { ownTokens, type ReadablePassage, type ShownTokens } from "../reader/windows.js";
import { tableAbove } from "../search/locate/table-above.js";
import type { Searcher } from "../search/searcher.js";
import { CELLS, type NamedCell, namedCells } from "../text/table-rows.js";
import type { TokenOffsets } from "../text/tokens.js";

/** Tokens of a column's name. */
const MAX_NAME_TOKENS = 12;

interface PassageTokens extends Pick<ReadablePassage, "ids" | "firstToken"> {
  segment: number;
  passage: number;
  /** The passage's own. */
  text: string;
}

/**
 * What the reader sees of a passage with cells below a row that names their columns: "Year: 2001; Team: Timbers" for
 * the row "2001 | Timbers", as in the tables that it learned from.
 * @returns undefined for other passages
 */
export async function tokensWithColumns(
  searcher: Searcher,
  { segment, passage, text, ids, firstToken }: PassageTokens,
  signal?: AbortSignal,
): Promise<ShownTokens | undefined> {
  const reader = searcher.segment(segment);
  if (!text.includes(CELLS)) return undefined;
  const { document, start } = reader.passage(passage);
  const above = await tableAbove((from) => reader.readText(document, from, start, signal), start);
  if (above === undefined) return undefined;
  const cells = namedCells(above + text, above.length).map(({ column, start, end }) => {
    return { column, start: start - above.length, end: end - above.length };
  });
  if (cells.length === 0) return undefined;
  const own = ownTokens({ ids, firstToken });
  const { tokenizer } = searcher;
  const tokens = tokenizer.place?.(text, own) ?? tokenizer.tokenize(text);
  return withColumns(own, tokens, { cells, text, tokenizer });
}

function withColumns(
  own: readonly number[],
  { starts, ends }: TokenOffsets,
  { cells, text, tokenizer }: { cells: readonly NamedCell[]; text: string; tokenizer: Searcher["tokenizer"] },
): ShownTokens {
  const names = new Map<string, ArrayLike<number>>();
  const nameTokens = (column: string): ArrayLike<number> => {
    const known = names.get(column);
    if (known !== undefined) return known;
    const ids = tokenizer.tokenize(`${column}:`, { maxTokens: MAX_NAME_TOKENS }).ids;
    names.set(column, ids);
    return ids;
  };
  const semicolon = tokenizer.tokenize(";").ids[0]!;
  const ids: number[] = [];
  const places: number[] = [];
  let next = 0;
  for (const [t, id] of own.entries()) {
    const cell = cells[next];
    if (cell !== undefined && starts[t]! >= cell.start) {
      for (const name of Array.from(nameTokens(cell.column))) {
        ids.push(name);
        places.push(-1);
      }
      next++;
    }
    const separates = starts[t] === (cells[next - 1]?.end ?? 0) + 1 || ends[t]! + 1 === cells[next]?.start;
    ids.push(separates && text.slice(starts[t], ends[t]) === "|" ? semicolon : id);
    places.push(t);
  }
  return { ids, places };
}
