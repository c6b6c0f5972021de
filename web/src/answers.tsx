/** The answers to a question, best first. */

import { useRef, useState } from "preact/hooks";
import { type Opened, openedAt } from "./address.js";
import { type Answer, type Evidence, placeLabel, type Result } from "./api.js";
import { CopyQuote } from "./copy-quote.js";
import { Sentence } from "./marks.js";
import { restrictionLabel } from "./restriction-label.js";
import { useTexts } from "./texts/localised.js";
import type { Transport } from "./transport.js";
import { Why } from "./why.js";

type Open = (opened: Opened) => void;
/** Asks for the answers with their explanation. */
type AskWhy = (() => Promise<Result>) | undefined;

interface Props {
  result: Result;
  open: Open;
  transport: Transport;
  /** The page to which copied links lead. */
  base: string | URL;
}

export function Answers(props: Props) {
  const t = useTexts();
  const { restriction } = props.result;
  return (
    <>
      {restriction !== undefined && <p class="none">{restrictionLabel(restriction, t)}</p>}
      {restriction?.missing === undefined && <Found {...props} />}
    </>
  );
}

/** Asks for the explanation of a result once, and again after a failure. */
function useExplanation(result: Result, explain: Transport["explain"]): AskWhy {
  const asked = useRef<{ result: Result; explanation: Promise<Result> } | undefined>(undefined);
  if (explain === undefined) return undefined;
  return () => {
    if (asked.current?.result === result) return asked.current.explanation;
    const explanation = explain(result.question);
    asked.current = { result, explanation };
    explanation.catch(() => {
      if (asked.current?.explanation === explanation) asked.current = undefined;
    });
    return explanation;
  };
}

function Found({ result, open, transport, base }: Props) {
  const t = useTexts();
  const { answers, nearestPassages = [], restriction, kind } = result;
  const why = useExplanation(result, transport.explain);
  if (kind === "sentences") {
    if (answers.length === 0 && restriction !== undefined) return null; // the status line says that there is none
    if (answers.length === 0) return <p class="none">{t.text("wordsNotFound")}</p>;
    return (
      <section>
        <h2>{t.text("nearestSentences")}</h2>
        <Passages answers={answers} open={open} label={t.text("sentences")} />
      </section>
    );
  }
  if (answers.length > 0) {
    const likely = answers.filter(({ lessLikely }) => !lessLikely);
    const others = answers.filter(({ lessLikely }) => lessLikely);
    const shared = { question: result.question, open, why, base };
    return (
      <>
        <Cards answers={likely} label={t.text("answers")} {...shared} />
        {others.length > 0 && (
          <details class="less">
            <summary>{t.text("lessLikely", { count: others.length })}</summary>
            <Cards answers={others} label={t.text("lessLikelyAnswers")} {...shared} />
          </details>
        )}
      </>
    );
  }
  return (
    <section>
      <p class="none">{t.text("notAnswered")}</p>
      {nearestPassages.length > 0 && (
        <>
          <h2>{t.text("nearestPassages")}</h2>
          <Passages answers={nearestPassages} open={open} label={t.text("passages")} />
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
  base: string | URL;
}

function Card({ answer, question, open, why, base }: CardProps) {
  const t = useTexts();
  const [shown, setShown] = useState<{ answer: Answer; explained: Answer | string } | undefined>(undefined);
  // The same place may be an answer of the next result too, which has another explanation.
  const explained = shown?.answer === answer ? shown.explained : undefined;
  const setExplained = (next: Answer | string): void => setShown({ answer, explained: next });
  const toggle = async (): Promise<void> => {
    if (explained !== undefined) {
      setShown(undefined);
      return;
    }
    try {
      const same = (other: Answer): boolean =>
        other.documentId === answer.documentId && other.start === answer.start && other.end === answer.end;
      setExplained((await why?.())?.answers.find(same) ?? t.text("documentsChanged"));
    } catch (error) {
      setExplained(t.error(error, "somethingWrong"));
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
            {t.text("why")}
          </button>
        )}
      </div>
      <AlsoIn evidence={answer.evidence} open={open} />
      <CopyQuote answer={answer} question={question} base={base} />
      {typeof explained === "string" && <p role="alert">{explained}</p>}
      {typeof explained === "object" && <Why answer={explained} />}
    </li>
  );
}

function PlaceButton({ place, open }: { place: Evidence; open: Open }) {
  const t = useTexts();
  return (
    <button
      type="button"
      class="open"
      title={place.title}
      onClick={() => open({ id: place.documentId, start: place.start, end: place.end })}
    >
      <span class="hidden">{t.text("openIn")} </span>
      {placeLabel(place, t)}
    </button>
  );
}

/** Other places of the same answer, grouped by document. */
function AlsoIn({ evidence, open }: { evidence: readonly Evidence[]; open: Open }) {
  const t = useTexts();
  if (evidence.length === 0) return null;
  const groups = new Map<string, Evidence[]>();
  for (const place of evidence) groups.set(place.documentId, [...(groups.get(place.documentId) ?? []), place]);
  return (
    <details class="also">
      <summary>{t.text("alsoIn", { count: evidence.length })}</summary>
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

const CONFIDENCE_CLASS = { veryLikely: "very-likely", likely: "likely", unsure: "unsure", unlikely: "unlikely" };

function Confidence({ value }: { value: number }) {
  const t = useTexts();
  const word = value >= 0.8 ? "veryLikely" : value >= 0.5 ? "likely" : value >= 0.25 ? "unsure" : "unlikely";
  const percent = t.percent(value);
  return (
    <span class="confidence" title={t.text("likelyRight", { percent })}>
      <span class="meter" aria-hidden="true">
        <span class={`fill ${CONFIDENCE_CLASS[word]}`} style={{ inlineSize: `${Math.round(value * 100)}%` }} />
      </span>
      {t.text(word)}
      <span class="hidden">, {percent}</span>
    </span>
  );
}
