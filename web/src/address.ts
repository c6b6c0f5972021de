/**
 * The address holds the state of the page: a link shows the same question and the same place in a
 * document.
 */

export interface Opened {
  id: string;
  start: number;
  end: number;
}

export interface Address {
  question: string;
  opened: Opened | undefined;
}

export function readAddress(): Address {
  const query = new URLSearchParams(location.search);
  const id = query.get("doc");
  const [start, end] = [Number(query.get("start")), Number(query.get("end"))];
  const fits = id !== null && Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end >= start;
  return { question: (query.get("q") ?? "").slice(0, 2000), opened: fits ? { id, start, end } : undefined };
}

export function linkTo({ question, opened }: Address): string {
  const query = new URLSearchParams();
  if (question !== "") query.set("q", question);
  if (opened !== undefined) {
    query.set("doc", opened.id);
    query.set("start", String(opened.start));
    query.set("end", String(opened.end));
  }
  const text = query.toString();
  return text === "" ? location.pathname : `${location.pathname}?${text}`;
}

const HISTORY_KEY = "verbatim-history";
const MAX_REMEMBERED = 20;

/** Questions asked in this browser, the newest first. */
export function pastQuestions(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(HISTORY_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((it): it is string => typeof it === "string") : [];
  } catch {
    return [];
  }
}

export function remember(question: string): void {
  const list = [question, ...pastQuestions().filter((past) => past !== question)].slice(0, MAX_REMEMBERED);
  localStorage.setItem(HISTORY_KEY, JSON.stringify(list));
}

export function forgetAll(): void {
  localStorage.removeItem(HISTORY_KEY);
}
