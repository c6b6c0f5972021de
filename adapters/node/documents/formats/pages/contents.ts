/** Tables of contents: their names, and their entries with leader dots. Pure. */

const MIN_LEADER_DOTS = 4;

export interface ContentsEntry {
  title: string;
  /** Number of the page, or a Roman numeral. */
  page: string;
}

/** The entry of a line like "Introduction . . . . . . 3" or "1.2 Scope ........ xii". */
export function contentsEntry(line: string): ContentsEntry | undefined {
  const text = line.trimEnd();
  const page = /[\s.](\d{1,4}|[ivxlc]{1,7})$/i.exec(text)?.[1];
  if (page === undefined) return undefined;
  const entry = text.slice(0, -page.length).trimEnd();
  let end = entry.length;
  let dots = 0;
  while (entry[end - 1] === ".") {
    dots++;
    end -= /\s/.test(entry[end - 2] ?? "x") && entry[end - 3] === "." ? 2 : 1;
  }
  const title = entry.slice(0, end);
  return dots >= MIN_LEADER_DOTS && /[^\s.]/.test(title) ? { title: title.trim(), page } : undefined;
}

/** Names of a table of contents, or of figures or tables, in the languages that are supported; without spaces. */
const NAMES: ReadonlySet<string> = new Set(
  (
    "contents tableofcontents listoffigures listoftables listofillustrations " +
    "inhalt inhaltsverzeichnis inhaltsübersicht abbildungsverzeichnis tabellenverzeichnis " +
    "tabledesmatières sommaire tabledesfigures tabledesillustrations listedesfigures listedestableaux " +
    "índice índicegeneral índicedecontenido índicedecontenidos contenido contenidos tabladecontenido " +
    "tabladecontenidos índicedefiguras índicedetablas indice indicegenerale sommario indicedellefigure " +
    "sumário conteúdo índicegeral listadefiguras listadetabelas inhoud inhoudsopgave spistreści " +
    "содержание оглавление 目录 目錄 目次 もくじ 차례 목차 المحتويات فهرسالمحتويات جدولالمحتويات الفهرس"
  )
    .normalize("NFC")
    .split(" "),
);

/** Whether a line is the name of a table of contents: "Table of contents", "I N H A L T", "目 次". */
export function isContentsName(line: string): boolean {
  if (line.length > 100) return false;
  return NAMES.has(
    line
      .normalize("NFC")
      .toLowerCase()
      .replace(/\s+/g, "")
      .replace(/[:：]$/, ""),
  );
}

/** What an entry and its heading have in common: "1.2 The Scope" and "1.2.  THE SCOPE" are equal. */
export function headingKey(line: string): string {
  return line
    .trim()
    .toLowerCase()
    .replace(/^(?:\d{1,3}(?:\.\d{1,3}){0,5}|[ivxlc]{1,7}(?=[.)])|\p{L}(?=[.)]))[.)]?\s+/u, "")
    .replace(/\s+/g, " ");
}

/** Whether more than half of the entries are lines below their table. @param isBelow  takes the key of a line */
export function areHeadings(entries: readonly ContentsEntry[], isBelow: (headingKey: string) => boolean): boolean {
  const headings = entries.filter(({ title }) => isBelow(headingKey(title)));
  return headings.length > entries.length / 2;
}
