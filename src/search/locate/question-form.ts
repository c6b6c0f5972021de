/** What the form of a question asks for. */

import { asksForSentence, asksForSeveral, asksForSteps, isFalseFriend } from "./question-form-languages.js";

/**
 * `span`: a name, a number, a few words. `sentence`: a reason, an explanation, yes or no. `list`:
 * several things. `steps`: how something works or is done, in a sentence or a list.
 */
export type AskedFor = "span" | "sentence" | "list" | "steps";

/** "how many", "how long": a measure, which is a span. */
const MEASURE =
  /^how\s+(?:many|much|long|far|old|often|big|tall|high|wide|deep|fast|soon|late|early|large|heavy|thick|hot|cold)\b/i;
const HOW = /^how\b/i;
const LONG_ANSWER = /^(?:why|explain|describe|define|what\s+happens|what\s+(?:does|do)\b.*\b(?:mean|do)\b)/i;
const ASKS_FOR_LIST =
  /^(?:list\b|name\s+(?:all|the)\b|what\s+are\b|(?:what|which)\s+\w+s\s+(?:are|do|can|have|were|must|should)\b|steps\b)/i;
const YES_OR_NO =
  /^(?:(?:so|and|but|or)\s+)?(?:is|are|am|was|were|do|does|did|can|could|may|might|must|shall|should|has|have|had|will|would|need|ain['’]t|can['’]t|won['’]t|shan['’]t|(?:is|are|was|were|do|does|did|could|might|must|should|has|have|had|would|need)n['’]t)\s/i;
/** A clause before the main one: "If the pump freezes, is it covered?" */
const LEADING_CLAUSE =
  /^(?:if|when|whenever|while|after|before|once|as|because|since|until|unless|although|though|given|assuming|suppose|supposing|for|in|on|at|with|without|under|during|according\s+to|to|please|hi|hello)\b[^,]{1,200},\s*/i;

/** The last sentence of a question, without a clause before the main one. */
export function mainClause(question: string): string {
  const text = question.trim();
  const starts = [...text.matchAll(/[.!?]\s+(?=\S)/g)];
  const last = starts.at(-1);
  const sentence = last === undefined ? text : text.slice(last.index + last[0].length);
  return sentence.replace(LEADING_CLAUSE, "");
}

export function askedFor(question: string): AskedFor {
  const text = mainClause(question);
  if (MEASURE.test(text)) return "span";
  if (HOW.test(text) || asksForSteps(text)) return "steps";
  if (ASKS_FOR_LIST.test(text) || asksForSeveral(text)) return "list";
  if (asksForSentence(text)) return "sentence";
  return (LONG_ANSWER.test(text) || YES_OR_NO.test(text)) && !isFalseFriend(text) ? "sentence" : "span";
}

/** True for "how do I …" in English, not for a measure such as "how many …". */
export function asksHow(question: string): boolean {
  const text = mainClause(question);
  return HOW.test(text) && !MEASURE.test(text);
}
