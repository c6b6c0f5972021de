/** Says when documents are in languages that the index's model does not read. */

import { foreignShare, type LanguageCount } from "../../node/ingest/language-counts.js";
import { choiceNamed, installCommand, isInstalled } from "../../node/models/choice.js";
import { count } from "./terminal.js";

/** Below this share, documents in other languages are not mentioned: one may be a mistake of the detection. */
const MIN_FOREIGN = 0.01;

/**
 * "Languages of the new documents: German 12, English 3. The model verbatim-en reads English. …", or
 * undefined if the model reads them.
 * @param model  name of the index's model
 */
export async function languagesLine(languages: LanguageCount, model: string): Promise<string | undefined> {
  if (choiceNamed(model) !== "en" || foreignShare(languages) < MIN_FOREIGN) return undefined;
  const names = new Intl.DisplayNames("en", { type: "language" });
  const listed = Object.entries(languages).map(
    ([code, documents]) => `${code === "other" ? "other" : names.of(code)} ${count(documents)}`,
  );
  const install = (await isInstalled("multi"))
    ? ""
    : `install the multilingual model with ${installCommand("multi")}, and `;
  const next = `${install}index everything into a new folder: verbatim index PATH --model multi --index NEW`;
  return `Languages of the new documents: ${listed.join(", ")}. The model ${model} reads English; of other languages it finds little. To ask those, ${next}`;
}
