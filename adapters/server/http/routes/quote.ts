/** POST /v1/quote: are these quotations in the documents? */

import type { Hono } from "hono";
import { quotationsIn } from "../../../../src/quote/draft-quotations.js";
import type { QuotationInput } from "../../../../src/quote/types.js";
import { requireScope } from "../access.js";
import { callSignal } from "../call-signals.js";
import { timedOut } from "../concurrency-limiter.js";
import { Problem } from "../problems.js";
import { quoteView } from "../quote-view.js";
import { readJson } from "../request-body.js";
import { type Env, requireIndex, type Service } from "../service.js";

/** Quotations that cost a caller as much as one question: no network runs. */
const QUOTATIONS_PER_QUESTION = 4;

export function registerQuote(app: Hono<Env>, service: Service): void {
  const { schemas, limits, questionRate, questionLimiter, index } = service;

  app.post("/v1/quote", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const { quotations, draft } = await readJson(c, schemas.Quote, limits.maxJsonBytes);
    if ((quotations === undefined) === (draft === undefined)) {
      throw new Problem(400, "invalid-argument", {
        title: "Give either quotations or a draft.",
        where: draft === undefined ? "quotations" : "draft",
      });
    }
    requireIndex(service);
    const found = draft === undefined ? undefined : quotationsIn(draft);
    if ((found?.quotations.length ?? 0) > limits.maxQuotations) {
      const title = `The draft has more than ${limits.maxQuotations} quotations.`;
      throw new Problem(413, "too-large", { title, hint: "Send it in parts.", where: "draft" });
    }
    const wanted: QuotationInput[] = [];
    const given: readonly QuotationInput[] = found?.quotations ?? quotations!;
    for (const { text, attributedTo, mentioned, documentId } of given) {
      const id = documentId === undefined ? undefined : await index.documents.idOf(documentId);
      if (documentId !== undefined && id === undefined) {
        throw new Problem(404, "no-document", { title: "There is no such document.", where: "documentId" });
      }
      const source = { ...(attributedTo && { attributedTo }), ...(mentioned && { mentioned }) };
      wanted.push({ text, ...source, ...(id && { documentId: id }) });
    }
    const cost = Math.ceil(wanted.length / QUOTATIONS_PER_QUESTION);
    questionRate.take(client, cost);
    const signal = callSignal(c, service);
    return questionLimiter.run({ client, cost: Math.max(1, cost), signal }, async () => {
      try {
        const open = index.requireOpen();
        const checks = wanted.length === 0 ? [] : await open.quote(wanted, { signal });
        return c.json({
          version: open.version,
          exact: checks.every(({ verdict }) => verdict === "exact"),
          quotations: checks.map((check, n) => {
            const place = found?.quotations[n];
            const view = quoteView(check, index.redactor);
            return place === undefined
              ? view
              : { ...view, line: place.line, draftStart: place.start, draftEnd: place.end };
          }),
          ...(found === undefined ? {} : { unclosed: found.unclosed }),
        });
      } catch (error) {
        throw signal.aborted ? timedOut() : error;
      }
    });
  });
}
