/** Explains the rank of an answer: the parts of its score, and the n-grams that raised it. */

import type { Answer, Parts } from "./api.js";
import { MarkedPassage } from "./marks.js";

const NAMES: readonly [keyof Parts, string, string][] = [
  ["dense", "meaning", "dense vectors of the answer's start and end"],
  ["ngram", "n-grams", "words around the answer that the question shares"],
  ["terms", "terms", "learned weights of the question's words in the passage"],
  ["tfidf", "tf-idf", "rare word pairs shared with passage and document"],
  ["vector", "passage", "what the whole passage and the question are about"],
  ["reader", "reader", "the passage read together with the question"],
];

export function Why({ answer }: { answer: Answer }) {
  const { parts, ngrams = [] } = answer;
  if (parts === undefined) return null;
  const shown = NAMES.filter(([key]) => parts[key] !== undefined);
  const largest = Math.max(...shown.map(([key]) => Math.abs(parts[key]!)), Number.MIN_VALUE);
  return (
    <div class="why">
      <table>
        <caption class="hidden">Parts of the score</caption>
        <tbody>
          {shown.map(([key, name, meaning]) => {
            const value = parts[key]!;
            return (
              <tr key={key} title={meaning}>
                <th scope="row">{name}</th>
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
            <th scope="row">score</th>
            <td />
            <td class="number">{answer.score.toFixed(2)}</td>
          </tr>
        </tbody>
      </table>
      <MarkedPassage answer={answer} />
      {ngrams.length > 0 && (
        <p class="quiet">
          Raised by{" "}
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
