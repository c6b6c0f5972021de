/** The answers to a question, best first. */

import { useState } from "preact/hooks";
import { restrictionText } from "../../src/ask/restriction-text.js";
import { type Opened, openedAt } from "./address.js";
import { type Answer, type Evidence, placeLabel, RequestError, type Result } from "./api.js";
import { CopyQuote } from "./copy-quote.js";
import { Sentence } from "./marks.js";
import type { Transport } from "./transport.js";
import { Why } from "./why.js";

type Open = (opened: Opened) => void;
/** Asks for the answers with their explanation. */
type AskWhy = (() => Promise<Result>) | undefined;

interface Props {
  result: Result;
  open: Open;
  transport: Transport;
}

export function Answers(props: Props) {
  const { restriction } = props.result;
  return (
    <>
      {restriction !== undefined && <p class="none">{restrictionText(restriction)}</p>}
      {restriction?.missing === undefined && <Found {...props} />}
    </>
  );
}

function Found({ result, open, transport }: Props) {
  const { answers, nearestPassages = [], restriction, kind } = result;
  const [explained, setExplained] = useState<Promise<Result> | undefined>(undefined);
  const { explain } = transport;
  const why =
    explain &&
    ((): Promise<Result> => {
      const asked = explained ?? explain(result.question);
      if (explained === undefined) setExplained(asked);
      return asked;
    });
  if (kind === "sentences") {
    if (answers.length === 0 && restriction !== undefined) return null; // the status line says that there is none
    if (answers.length === 0) return <p class="none">None of these words is in the documents.</p>;
    return (
      <section>
        <h2>Nearest sentences</h2>
        <Passages answers={answers} open={open} label="Sentences" />
      </section>
    );
  }
  if (answers.length > 0) {
    const likely = answers.filter(({ lessLikely }) => !lessLikely);
    const others = answers.filter(({ lessLikely }) => lessLikely);
    return (
      <>
        <Cards answers={likely} question={result.question} open={open} why={why} label="Answers" />
        {others.length > 0 && (
          <details class="less">
            <summary>
              {others.length} less likely {others.length === 1 ? "answer" : "answers"}
            </summary>
            <Cards answers={others} question={result.question} open={open} why={why} label="Less likely answers" />
          </details>
        )}
      </>
    );
  }
  return (
    <section>
      <p class="none">The documents do not answer this question.</p>
      {nearestPassages.length > 0 && (
        <>
          <h2>Nearest passages</h2>
          <Passages answers={nearestPassages} open={open} label="Passages" />
        </>
      )}
    </section>
  );
}

type CardsProps = Omit<CardProps, "answer"> & { answers: readonly Answer[]; label: string };

function Cards({ answers, label, ...rest }: CardsProps) {
  return (
    <ol class="answers" aria-label={label}>
      {answers.map((answer) => (
        <Card key={`${answer.documentId} ${answer.start} ${answer.end}`} answer={answer} {...rest} />
      ))}
    </ol>
  );
}

/** Sentences or passages without a marked answer. */
function Passages({ answers, open, label }: { answers: readonly Answer[]; open: Open; label: string }) {
  return (
    <ol class="answers" aria-label={label}>
      {answers.map((answer) => (
        <li class="card" key={`${answer.documentId} ${answer.start}`}>
          <p class="sentence" dir="auto">
            {answer.text}
          </p>
          <PlaceButton place={answer} open={open} />
        </li>
      ))}
    </ol>
  );
}

interface CardProps {
  answer: Answer;
  question: string;
  open: Open;
  why: AskWhy;
}

function Card({ answer, question, open, why }: CardProps) {
  const [explained, setExplained] = useState<Answer | string | undefined>(undefined);
  const toggle = async (): Promise<void> => {
    if (explained !== undefined) {
      setExplained(undefined);
      return;
    }
    try {
      const same = (other: Answer): boolean =>
        other.documentId === answer.documentId && other.start === answer.start && other.end === answer.end;
      setExplained((await why?.())?.answers.find(same) ?? "The documents have changed. Ask again.");
    } catch (error) {
      setExplained(error instanceof RequestError ? error.message : "Something went wrong.");
    }
  };
  return (
    <li class="card">
      <Sentence answer={answer} />
      <div class="row">
        <PlaceButton place={answer} open={() => open(openedAt(answer))} />
        {answer.confidence !== undefined && <Confidence value={answer.confidence} />}
        {why !== undefined && (
          <button type="button" class="link" aria-expanded={explained !== undefined} onClick={toggle}>
            Why?
          </button>
        )}
      </div>
      <AlsoIn evidence={answer.evidence} open={open} />
      <CopyQuote answer={answer} question={question} />
      {typeof explained === "string" && <p role="alert">{explained}</p>}
      {typeof explained === "object" && <Why answer={explained} />}
    </li>
  );
}

function PlaceButton({ place, open }: { place: Evidence; open: Open }) {
  return (
    <button
      type="button"
      class="open"
      title={place.title}
      onClick={() => open({ id: place.documentId, start: place.start, end: place.end })}
    >
      <span class="hidden">Open in </span>
      {placeLabel(place)}
    </button>
  );
}

/** Other places of the same answer, grouped by document. */
function AlsoIn({ evidence, open }: { evidence: readonly Evidence[]; open: Open }) {
  if (evidence.length === 0) return null;
  const groups = new Map<string, Evidence[]>();
  for (const place of evidence) groups.set(place.documentId, [...(groups.get(place.documentId) ?? []), place]);
  return (
    <details class="also">
      <summary>
        also in {evidence.length} other {evidence.length === 1 ? "place" : "places"}
      </summary>
      <ul>
        {[...groups].map(([id, places]) => (
          <li key={id}>
            {places.map((place) => (
              <PlaceButton key={place.start} place={place} open={open} />
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Confidence({ value }: { value: number }) {
  const word = value >= 0.8 ? "very likely" : value >= 0.5 ? "likely" : value >= 0.25 ? "unsure" : "unlikely";
  const percent = Math.round(value * 100);
  return (
    <span class="confidence" title={`${percent} % likely to be right`}>
      <span class="meter" aria-hidden="true">
        <span class={`fill ${word.replace(" ", "-")}`} style={{ inlineSize: `${percent}%` }} />
      </span>
      {word}
      <span class="hidden">, {percent} percent</span>
    </span>
  );
}
