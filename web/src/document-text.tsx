/**
 * The text of a document by its blocks, with one range marked. Text is never taken as markup. Each
 * block has the direction of its first letter, since a document may mix scripts.
 */

import type { ComponentChildren } from "preact";
import { type TextBlock, textBlocks } from "./text-blocks.js";

interface Range {
  start: number;
  end: number;
}

/** @param mark  offsets in `text`; an empty range marks nothing */
export function DocumentBlocks({ text, mark }: { text: string; mark: Range }) {
  return (
    <>
      {textBlocks(text).map((block) => (
        <Block key={block.start} text={text} block={block} mark={mark} />
      ))}
    </>
  );
}

function Block({ text, block, mark }: { text: string; block: TextBlock; mark: Range }) {
  const shown = (part: Range): ComponentChildren => marked(text, part, mark);
  switch (block.kind) {
    case "heading":
      return <h3 dir="auto">{shown(block)}</h3>;
    case "paragraph":
      return <p dir="auto">{shown(block)}</p>;
    case "code":
      return <pre dir="auto">{shown(block)}</pre>;
    case "items":
      return (
        <ul dir="auto">
          {itemsOf(text, block).map((item) => (
            <li key={item.start}>{shown(item)}</li>
          ))}
        </ul>
      );
    case "table": {
      const [head, ...rows] = partsOf(text, block, "\n").map((row) => partsOf(text, row, " | "));
      return (
        <table dir="auto">
          <thead>
            <tr>
              {head!.map((cell) => (
                <th key={cell.start} scope="col">
                  {shown(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells) => (
              <tr key={cells[0]!.start}>
                {cells.map((cell) => (
                  <td key={cell.start}>{shown(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
    }
  }
}

/** The text of a part, its share of the mark in a `mark` element. */
function marked(text: string, part: Range, mark: Range): ComponentChildren {
  const start = Math.max(part.start, mark.start);
  const end = Math.min(part.end, mark.end);
  if (start >= end) return text.slice(part.start, part.end);
  return (
    <>
      {text.slice(part.start, start)}
      <mark tabIndex={-1}>{text.slice(start, end)}</mark>
      {text.slice(end, part.end)}
    </>
  );
}

function partsOf(text: string, { start, end }: Range, separator: string): Range[] {
  const parts: Range[] = [];
  let at = start;
  for (const part of text.slice(start, end).split(separator)) {
    parts.push({ start: at, end: at + part.length });
    at += part.length + separator.length;
  }
  return parts;
}

/** Items with the indented lines that continue them. */
function itemsOf(text: string, block: Range): Range[] {
  const items: Range[] = [];
  for (const line of partsOf(text, block, "\n")) {
    const last = items.at(-1);
    if (last !== undefined && /^\s+(?![-*+•‣◦▪–]\s|\d{1,3}[.)]\s)/.test(text.slice(line.start, line.end)))
      last.end = line.end;
    else items.push(line);
  }
  return items;
}
