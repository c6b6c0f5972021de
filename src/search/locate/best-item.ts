/**
 * Which item of a passage a question describes. The span that scores best is often in a neighbour of
 * the right item, because the network was trained on prose.
 */

import { isStopWord, words } from "../../text/words.js";
import type { LocatedSpan } from "./locate.js";
import { asksForName, itemAt, type NamedItem, namedItems } from "./named-item.js";
import { asksHow } from "./question-form.js";

/** Words that a "how" question must share with an item; one that asks for a name needs one less. */
const MIN_SHARED = 2;
/** Share of a "how" question's content words that the item has. */
const MIN_SHARE = 0.5;

/** A mapping of a question's spans, best first, or undefined if it is not about named items. */
export function namesFor(question: string): ((span: LocatedSpan) => LocatedSpan) | undefined {
  const asksName = asksForName(question);
  if (!asksName && !asksHow(question)) return undefined;
  const asked = new Set(stemsOf(question));
  const seen = new Map<string, NamedItem[]>();
  return (span) => {
    const { passageStart, passageText, record } = span;
    const key = `${passageStart} ${record.id}`;
    const known = seen.get(key);
    const items = known ?? namedItems(passageText);
    seen.set(key, items);
    const own = itemAt(items, span.start - passageStart);
    // the best span of a passage gives way to the item that the question describes
    const best = known === undefined ? bestItem(items, { passageText, asked, asksName, own }) : undefined;
    const chosen = best ?? (asksName ? own : undefined);
    return chosen === undefined ? span : named(span, chosen);
  };
}

/** The item that shares most words with the question, each weighted by how few items have it. */
function bestItem(
  items: readonly NamedItem[],
  given: { passageText: string; asked: ReadonlySet<string>; asksName: boolean; own: NamedItem | undefined },
): NamedItem | undefined {
  const { passageText, asked, asksName, own } = given;
  const shared = items.map(({ item }) => {
    const stems = new Set(stemsOf(passageText.slice(item.start, item.end)));
    return [...asked].filter((stem) => stems.has(stem));
  });
  const having = new Map<string, number>();
  for (const stem of shared.flat()) having.set(stem, (having.get(stem) ?? 0) + 1);
  const scores = shared.map((stems) =>
    stems.reduce((sum, stem) => sum + Math.log(1 + items.length / having.get(stem)!), 0),
  );
  let best = -1;
  for (const [n, score] of scores.entries()) {
    const isBetter = best < 0 || score > scores[best]! || (score === scores[best] && items[n] === own);
    if (isBetter) best = n;
  }
  if (best < 0) return undefined;
  const count = shared[best]!.length;
  const suffices = asksName ? count >= MIN_SHARED - 1 : count >= MIN_SHARED && count >= MIN_SHARE * asked.size;
  return suffices ? items[best] : undefined;
}

function named(span: LocatedSpan, { name }: NamedItem): LocatedSpan {
  const { passageStart, passageText } = span;
  const text = passageText.slice(name.start, name.end);
  return { ...span, start: passageStart + name.start, end: passageStart + name.end, text, isName: true };
}

function stemsOf(text: string): string[] {
  return Array.from(words(text), ({ text: word }) => word)
    .filter((word) => !isStopWord(word))
    .map(stemOf);
}

/** "ignores", "ignored" and "ignoring" as "ignor". English; other words only lose an s. */
function stemOf(word: string): string {
  const bare = word.length > 5 ? word.replace(/(?:ing|ed|es)$/, "") : word;
  return bare.length > 3
    ? bare
        .replace(/(?<!s)s$/, "")
        .replace(/e$/, "")
        .replace(/y$/, "i")
    : bare;
}
