/** Says that the model of the index does not read added documents. */

import { type LanguageCount, languageName, mentionsForeign } from "../../node/ingest/language-counts.js";
import { choiceNamed } from "../../node/models/choice.js";
import type { Note } from "./protocol.js";

/**
 * @param languages  of the added documents
 * @param model  name of the index's model
 * @returns undefined if the model reads them, or no language is known
 */
export function languageNote(languages: LanguageCount, model: string): Note | undefined {
  if (choiceNamed(model) !== "en" || !mentionsForeign(languages)) return undefined;
  const foreign = Object.keys(languages).filter((code) => code !== "en");
  const listed = foreign.map((code) => languageName(code) ?? "other languages").join(", ");
  return {
    title: `The model ${model} reads English, and finds little in other languages (here: ${listed}).`,
    hint: "Stop the server and change the model: verbatim index --rebuild --model multi --index DIR",
  };
}
