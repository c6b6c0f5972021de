/** Explains the rank of an answer: the parts of its score, and the n-grams that raised it. */

import type { Answer, Parts } from "./api.js";
import { MarkedPassage } from "./marks.js";
import { useTexts } from "./texts/localised.js";

/** Each part with the texts of its name and its meaning. */
const NAMES = [
  ["dense", "partDense", "partDenseLong"],
  ["ngram", "partNgram", "partNgramLong"],
  ["terms", "partTerms", "partTermsLong"],
  ["tfidf", "partTfidf", "partTfidfLong"],
  ["vector", "partVector", "partVectorLong"],
  ["reader", "partReader", "partReaderLong"],
] as const satisfies readonly (readonly [keyof Parts, string, string])[];

export function Why({ answer }: { answer: Answer }) {
  const t = useTexts();
  const { parts, ngrams = [] } = answer;
  if (parts === undefined) return null;
  const shown = NAMES.filter(([key]) => parts[key] !== undefined);
  const largest = Math.max(...shown.map(([key]) => Math.abs(parts[key]!)), Number.MIN_VALUE);
  return (
    <div class="why">
      <table>
        <caption class="hidden">{t.text("partsOfScore")}</caption>
        <tbody>
          {shown.map(([key, name, meaning]) => {
            const value = parts[key]!;
            return (
              <tr key={key} title={t.text(meaning)}>
                <th scope="row">{t.text(name)}</th>
                <td class="bar-cell">
                  <div
                    class={`bar bar-${key}${value < 0 ? " negative" : ""}`}
                    style={{ inlineSize: `${(100 * Math.abs(value)) / largest}%` }}
                  />
                </td>
                <td class="number">{value.toFixed(2)}</td>
              </tr>
            );
          })}
          <tr class="sum">
            <th scope="row">{t.text("score")}</th>
            <td />
            <td class="number">{answer.score.toFixed(2)}</td>
          </tr>
        </tbody>
      </table>
      <MarkedPassage answer={answer} />
      {ngrams.length > 0 && (
        <p class="quiet">
          {t.text("raisedBy")}{" "}
          {ngrams.slice(0, 8).map(({ text, weight }, i) => (
            <span key={i}>
              {i > 0 && ", "}
              <span class="ngram ngram-weak">{text}</span> {weight.toFixed(2)}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
