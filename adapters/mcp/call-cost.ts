/**
 * What a call costs, compared with a question (1): an estimate of its time in this process, from
 * measurements with a text of a million units on one core.
 */

const PASSAGES_PER_QUESTION = 5;
/** UTF-16 units of a quotation or draft. */
const QUOTED_UNITS_PER_QUESTION = 500;
/** UTF-16 units of a document that is returned whole. */
const READ_UNITS_PER_QUESTION = 100_000;

export const QUESTION_COST = 1;

export function costOfPassages(topK: number): number {
  return QUESTION_COST + topK / PASSAGES_PER_QUESTION;
}

export function costOfQuoting({ quotation = "", draft = "" }: { quotation?: string; draft?: string }): number {
  return QUESTION_COST + (quotation.length + draft.length) / QUOTED_UNITS_PER_QUESTION;
}

/** @param units  length of the text */
export function costOfReading(units: number): number {
  return QUESTION_COST + units / READ_UNITS_PER_QUESTION;
}
