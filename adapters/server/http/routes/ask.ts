/** POST /v1/ask and /v1/explain: answers at once, or as a stream of better and better ones. */

import type { Hono } from "hono";
import type { AskOptions } from "../../../../src/ask/options.js";
import type { AskResult } from "../../../../src/ask/result.js";
import { onOneVersion } from "../../one-version.js";
import { requireScope } from "../access.js";
import { resultView } from "../answer-view.js";
import { callSignal } from "../call-signals.js";
import { timedOut } from "../concurrency-limiter.js";
import { readingBudget } from "../limits.js";
import { errorDetails } from "../log.js";
import { Problem, toProblem } from "../problems.js";
import { readJson } from "../request-body.js";
import type { AskRequest, ResultView } from "../schemas.js";
import { type Env, type RequestContext, requireIndex, type Service } from "../service.js";

interface Asking {
  question: string;
  options: AskOptions;
  atLeastVersion: number | undefined;
  client: string;
  signal: AbortSignal;
  /** Include the text of each answer's passage. */
  withPassage: boolean;
}

export function registerAsk(app: Hono<Env>, service: Service): void {
  const { schemas, limits, questionRate } = service;

  app.post("/v1/ask", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const body = await readJson(c, schemas.Ask, limits.maxJsonBytes);
    if ((body.question === undefined) === (body.questions === undefined)) {
      throw new Problem(400, "invalid-argument", {
        title: "Give either question or questions.",
        where: body.question === undefined ? "question" : "questions",
      });
    }
    const streams = /\btext\/event-stream\b/.test(c.req.header("Accept") ?? "");
    const questions = body.questions ?? [body.question!];
    questionRate.take(client, questions.length);
    const batch = new AbortController();
    const call = callSignal(c, service);
    const asking = (question: string): Asking => {
      const signal = AbortSignal.any([call, batch.signal]); // one each: a question adds listeners to it
      return askingOf(service, { body, question, client, signal });
    };
    if (streams) {
      if (body.question === undefined) {
        throw new Problem(400, "invalid-argument", {
          title: "A stream of events answers one question.",
          where: "questions",
        });
      }
      return eventStream(c, service, asking(body.question));
    }
    const answering = questions.map((question) => answer(service, asking(question)));
    const results = await Promise.all(answering).catch((error: unknown) => {
      batch.abort(); // the others need not be answered
      throw error;
    });
    return c.json(body.question === undefined ? { results } : results[0]!);
  });

  app.post("/v1/explain", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const body = await readJson(c, schemas.Explain, limits.maxJsonBytes);
    questionRate.take(client, 1);
    const asking = askingOf(service, {
      body: { ...body, explain: true },
      question: body.question,
      client,
      signal: callSignal(c, service),
    });
    return c.json(await answer(service, { ...asking, withPassage: true }));
  });
}

function askingOf(
  service: Service,
  request: { body: AskRequest; question: string; client: string; signal: AbortSignal },
): Asking {
  const { limits, defaults } = service;
  const { body, question, client, signal } = request;
  const { topK, strategy, where, maxAnswerTokens, explain, atLeastVersion } = body;
  const { reader = defaults.reader, minConfidence } = body;
  const reading = { reader, minConfidence, budgetMs: readingBudget(limits) };
  // responses do not list the ranked passages, and each would cost reading a record
  const advanced = { rankedPassages: 0, defaultMinConfidence: defaults.minConfidence };
  const options = { topK, strategy, where, maxAnswerTokens, explain, ...reading, advanced };
  return { question, options, atLeastVersion, client, signal, withPassage: false };
}

/**
 * Answers a question when its turn has come.
 * @throws Problem as `ConcurrencyLimiter.run`; what the engine throws
 */
export async function answer(service: Service, asking: Asking): Promise<ResultView> {
  const { questionLimiter, index } = service;
  const { client, signal } = asking;
  requireIndex(service); // refused at once, not after waiting
  return questionLimiter.run({ client, signal }, async (waitMs) => {
    const started = performance.now();
    try {
      await reachVersion(service, asking);
      const ask = async (version: number) => {
        const result = await index.requireOpen().ask(asking.question, { ...asking.options, signal });
        return { result, view: await viewOf(service, asking, { result, version }) };
      };
      const readsTexts = asking.withPassage;
      const { result, view } = readsTexts ? await onOneVersion(index, ask) : await ask(index.requireOpen().version);
      service.metrics.question(result.steps, { waitMs, totalMs: waitMs + performance.now() - started });
      return view;
    } catch (error) {
      throw signal.aborted ? timedOut() : error;
    }
  });
}

async function reachVersion({ index }: Service, { atLeastVersion, signal }: Asking): Promise<void> {
  if (atLeastVersion === undefined || index.requireOpen().version >= atLeastVersion) return;
  await index.refresh();
  await index.requireOpen().refresh({ atLeastVersion, signal });
}

/** @param found  an answer, and the version that it is from */
function viewOf(
  { index }: Service,
  asking: Asking,
  { result, version }: { result: AskResult; version: number },
): Promise<ResultView> {
  const { redactor, documents } = index;
  if (!asking.withPassage) return resultView(result, { redactor, version });
  return resultView(result, {
    redactor,
    version,
    passageText: ({ documentId, passageStart, passageEnd }) =>
      documents.text(redactor.redact(documentId), passageStart, passageEnd),
  });
}

/**
 * Sends each better answer as the event `answers` and the last one as `final`. "No answer" is only
 * sent as the last event. The head of the response is sent when the question's turn comes, so that
 * a refusal can still be sent as the status.
 */
async function eventStream(c: RequestContext, service: Service, asking: Asking): Promise<Response> {
  const left = new AbortController();
  const signal = AbortSignal.any([asking.signal, left.signal]);
  requireIndex(service);
  const encoder = new TextEncoder();
  let send = (_event: string, _data: unknown): void => {};
  let end = (): void => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (event, data) => {
        if (!left.signal.aborted)
          controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      };
      end = () => {
        if (!left.signal.aborted) controller.close();
      };
    },
    cancel() {
      left.abort();
    },
  });
  await new Promise<void>((begin, refuse) => {
    const work = async (waitMs: number): Promise<void> => {
      begin();
      try {
        await sendAnswers(service, { ...asking, signal }, { send, waitMs });
      } catch (error) {
        const { document } = toProblem(signal.aborted ? timedOut() : error);
        if (document.status >= 500 && !signal.aborted) service.log("error", "question failed", errorDetails(error));
        send("problem", document);
      } finally {
        end();
      }
    };
    service.questionLimiter.run({ client: asking.client, signal }, work).catch(refuse);
  });
  c.header("Content-Type", "text/event-stream; charset=utf-8");
  c.header("X-Accel-Buffering", "no");
  return c.body(stream);
}

async function sendAnswers(
  service: Service,
  asking: Asking,
  rest: { send: (event: string, data: unknown) => void; waitMs: number },
): Promise<void> {
  const { index, metrics } = service;
  const { question, options, signal } = asking;
  const { send, waitMs } = rest;
  const started = performance.now();
  await reachVersion(service, asking);
  const { version } = index.requireOpen();
  const view = (result: AskResult): Promise<ResultView> => viewOf(service, asking, { result, version });
  let last: AskResult | undefined;
  for await (const result of index.requireOpen().askStream(question, { ...options, signal })) {
    if (last !== undefined && last.noAnswer === undefined) send("answers", await view(last));
    last = result;
  }
  if (last === undefined) throw new Error("A question ended without an answer object.");
  send("final", await view(last));
  metrics.question(last.steps, { waitMs, totalMs: waitMs + performance.now() - started });
}
