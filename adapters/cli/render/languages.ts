/** Says which languages new documents are in, and what to do if the index's model does not read them. */

import { shellWord } from "../../../src/errors.js";
import { type LanguageCount, languageName, mentionsForeign } from "../../node/ingest/language-counts.js";
import { choiceNamed, installCommand, isInstalled } from "../../node/models/choice.js";
import { count } from "./terminal.js";

/** What was indexed, and where. */
interface Indexed {
  paths: readonly string[];
  index: string;
  /** New documents. Of many, a part was looked at, and code and tables have no language. */
  documents: number;
}

/**
 * "Languages of the new documents: German 12, English 3. The model verbatim-en reads English. …", with
 * what to do if the model does not read them; undefined if all are in English, or none is known.
 * @param model  name of the index's model
 */
export async function languagesLine(
  languages: LanguageCount,
  model: string,
  indexed: Indexed,
): Promise<string | undefined> {
  if (!mentionsForeign(languages)) return undefined;
  const listed = Object.entries(languages).map(
    ([code, documents]) => `${languageName(code) ?? "other"} ${count(documents)}`,
  );
  const advice = await adviceFor(languages, model, indexed);
  const known = Object.values(languages).reduce((sum, documents) => sum + documents, 0);
  const which = known < indexed.documents ? `${count(known)} of ${count(indexed.documents)}` : "the";
  return `Languages of ${which} new documents: ${listed.join(", ")}.${advice === undefined ? "" : ` ${advice}`}`;
}

async function adviceFor(languages: LanguageCount, model: string, indexed: Indexed): Promise<string | undefined> {
  const choice = choiceNamed(model);
  if (choice === "multi" && (languages.other ?? 0) > 0)
    return `The model ${model} was not made for the ${count(languages.other!)} in other languages; less is found there.`;
  if (choice !== "en") return undefined;
  const install = (await isInstalled("multi"))
    ? ""
    : `install the multilingual model with ${installCommand("multi")}, and `;
  return `The model ${model} reads English and finds little in other languages. To ask about those, ${install}change the model, which encodes everything again: ${changeModelCommand(indexed, "multi")}`;
}

/** The command that gives the index another model and indexes the paths. */
export function changeModelCommand({ paths, index }: Pick<Indexed, "paths" | "index">, model: string): string {
  return `verbatim index ${paths.map(shellWord).join(" ")} --model ${shellWord(model)} --rebuild --index ${shellWord(index)}`;
}
