/** Says that the model of the index does not read added documents. */

import { foreignShare, type LanguageCount } from "../../node/ingest/language-counts.js";
import { choiceNamed } from "../../node/models/choice.js";
import type { Note } from "./protocol.js";

/** Below this share, documents in other languages are not mentioned: one may be a mistake of the detection. */
const MIN_FOREIGN = 0.01;

/**
 * @param languages  of the added documents
 * @param model  name of the index's model
 * @returns undefined if the model reads them, or no language is known
 */
export function languageNote(languages: LanguageCount, model: string): Note | undefined {
  if (choiceNamed(model) !== "en" || foreignShare(languages) < MIN_FOREIGN) return undefined;
  const names = new Intl.DisplayNames("en", { type: "language" });
  const foreign = Object.keys(languages).filter((code) => code !== "en");
  const listed = foreign.map((code) => (code === "other" ? "other languages" : names.of(code))).join(", ");
  return {
    title: `The model ${model} reads English, and finds little in other languages (here: ${listed}).`,
    hint: "Stop the server and change the model: verbatim index --rebuild --model multi --index DIR",
  };
}
