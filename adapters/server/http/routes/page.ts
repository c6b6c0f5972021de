/** The page: its built files, and a plain form that works without scripts. */

import type { Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { restrictionText } from "../../../../src/ask/restriction-text.js";
import { isWithinPart } from "../../../../src/text/place.js";
import { bearerToken } from "../../security/tokens.js";
import { accessOf, requireScope } from "../access.js";
import { type Asset, serveStatic } from "../assets.js";
import { callSignal } from "../call-signals.js";
import { type Html, html, page } from "../html.js";
import { readingBudget } from "../limits.js";
import { type PlainTexts, plainLanguage, plainTexts } from "../plain-texts.js";
import { Problem, toProblem } from "../problems.js";
import { parsed, readBody } from "../request-body.js";
import type { AnswerView, ResultView } from "../schemas.js";
import type { Env, RequestContext, Service } from "../service.js";
import { answer } from "./ask.js";
import { read } from "./documents.js";

/** UTF-16 units shown before and after an answer on a plain page. */
const CONTEXT_UNITS = 20_000;
/** Bytes of a form with a question and a token. */
const MAX_FORM_BYTES = 16 * 1024;

export function registerPage(app: Hono<Env>, service: Service, assets: ReadonlyMap<string, Asset>): void {
  for (const [path, asset] of assets) serveStatic(app, path, asset);
  if (!assets.has("/")) app.get("/", (c) => c.redirect("/plain"));

  app.get("/plain", async (c) => {
    const question = c.req.query("q");
    return plain(c, service, question);
  });

  // A form cannot send a header, so the token, where one is needed, is in the body.
  app.post("/plain", async (c) => {
    const fields = new URLSearchParams(new TextDecoder().decode(await readBody(c, MAX_FORM_BYTES)));
    const token = fields.get("token");
    // a header holds no other characters; such a token is not known
    if (token) c.req.raw.headers.set("Authorization", `Bearer ${/^[\x21-\x7e]+$/.test(token) ? token : "?"}`);
    return plain(c, service, fields.get("q") ?? undefined);
  });

  app.get("/plain/document", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const id = c.req.query("id") ?? "";
    const { documents } = service.index;
    const start = Number(c.req.query("start") ?? 0);
    const end = Number(c.req.query("end") ?? start);
    const listed = await read(c, service, { client, work: () => documents.describe(id) });
    const fits =
      listed !== undefined && [start, end].every((at) => Number.isInteger(at) && at >= 0 && at <= listed.length);
    if (!fits || end < start || end - start > service.limits.maxTextUnits)
      throw new Problem(404, "no-document", { title: "There is no such document, or it is shorter." });
    const from = Math.max(0, start - CONTEXT_UNITS);
    const text = (await documents.text(id, from, Math.min(listed.length, end + CONTEXT_UNITS))) ?? "";
    const [before, marked, after] = [
      text.slice(0, start - from),
      text.slice(start - from, end - from),
      text.slice(end - from),
    ];
    const body = html`<main><h1>${listed.title}</h1><p>${listed.source} · <a href="/plain">ask</a></p>
<article class="text" dir="auto">${before}${marked === "" ? undefined : html`<mark id="answer">${marked}</mark>`}${after}</article></main>`;
    return c.html(page(listed.title, body));
  });
}

async function plain(c: RequestContext, service: Service, question: string | undefined): Promise<Response> {
  const tokenNeeded = service.anonymous === undefined;
  const language = plainLanguage(c.req.header("Accept-Language"));
  const show: Shown = { texts: plainTexts(language), tokenNeeded };
  let shown: Html | undefined;
  let status: ContentfulStatusCode = 200;
  if (question !== undefined) {
    try {
      const result = await ask(c, service, question);
      const { searchedFor, restriction } = result;
      const corrected = searchedFor === undefined ? undefined : html`<p>${show.texts.searchedFor} ${searchedFor}</p>`;
      const restricted = restriction === undefined ? undefined : html`<p>${restrictionText(restriction)}</p>`;
      shown = html`${corrected}${restricted}${answersHtml(result, show)}`;
    } catch (error) {
      const problem = toProblem(error);
      if (problem.status === 500) throw error;
      status = problem.status;
      const { document } = problem;
      shown = html`<p role="alert">${document.title} ${document.hint}</p>`;
    }
  } else if (bearerToken(c.req.header("Authorization")) !== undefined) accessOf(c, service);
  c.header("Vary", "Accept-Language", { append: true });
  return c.html(page("Verbatim", html`<main>${form(question, show)}${shown}</main>`, language), status);
}

async function ask(c: RequestContext, service: Service, given: string): Promise<ResultView> {
  const { client } = requireScope(c, service, "ask");
  const question = parsed(service.schemas.Explain.shape.question, given, "question");
  service.questionRate.take(client, 1);
  const signal = callSignal(c, service);
  const options = { ...service.defaults, budgetMs: readingBudget(service.limits), advanced: { rankedPassages: 0 } };
  return answer(service, { question, options, atLeastVersion: undefined, client, signal, withPassage: false });
}

/** How a plain page is shown. */
interface Shown {
  texts: PlainTexts;
  tokenNeeded: boolean;
}

function form(question: string | undefined, { texts, tokenNeeded }: Shown): Html {
  const token = html`<label>${texts.token} <input type="password" name="token" autocomplete="current-password" required></label>`;
  return html`<h1><a href="/plain">Verbatim</a></h1>
<form class="ask" method="${tokenNeeded ? "post" : "get"}" action="/plain">
<label class="hidden" for="q">${texts.question}</label>
<input id="q" name="q" type="search" maxlength="2000" required value="${question ?? ""}" placeholder="${texts.askYourDocuments}" dir="auto">
${tokenNeeded ? token : undefined}
<button>${texts.ask}</button>
</form>`;
}

function answersHtml({ answers, nearestPassages = [] }: ResultView, show: Shown): Html {
  const { texts } = show;
  if (answers.length === 0) {
    const passages = nearestPassages.map((it) => nearestHtml(it, show));
    return html`<p role="status">${texts.noAnswer}</p>
${passages.length === 0 ? undefined : html`<h2>${texts.nearestPassages}</h2><ol class="answers">${passages}</ol>`}`;
  }
  const likely = answers.filter(({ lessLikely }) => !lessLikely);
  const others = answers.filter(({ lessLikely }) => lessLikely);
  const list = (some: readonly AnswerView[], first: number): Html =>
    html`<ol class="answers" start="${String(first)}">${some.map((it) => answerHtml(it, show))}</ol>`;
  const folded = html`<details class="less"><summary>${texts.lessLikely(others.length)}</summary>
${list(others, likely.length + 1)}</details>`;
  return html`${list(likely, 1)}${others.length === 0 ? undefined : folded}`;
}

function nearestHtml(it: AnswerView, show: Shown): Html {
  return html`<li class="card"><p class="sentence" dir="auto">${it.text}</p><p class="source">${sourceHtml(it, show)}</p></li>`;
}

function answerHtml(it: AnswerView, show: Shown): Html {
  const { text, context, contextStart, start, end, alternatives } = it;
  const [from, to] = [start - contextStart, end - contextStart];
  const fits = from >= 0 && context.slice(from, to) === text;
  const sentence = fits
    ? html`${context.slice(0, from)}<mark>${text}</mark>${context.slice(to)}`
    : html`<mark>${text}</mark> — ${context}`;
  const others = alternatives.map((other) => show.texts.quoted(other.text)).join(", ");
  const or = others === "" ? undefined : html`<p class="quiet">${show.texts.or} ${others}</p>`;
  return html`<li class="card"><p class="sentence" dir="auto">${sentence}</p>${or}<p class="source">${sourceHtml(it, show)}</p></li>`;
}

function sourceHtml({ documentId, start, end, source, place }: AnswerView, { texts, tokenNeeded }: Shown): Html {
  const at = `${place.page === undefined ? "" : texts.page(place.page)}${place.line === undefined ? "" : `:${place.line}`}`;
  const label = isWithinPart(place) ? `${source} (${place.path}${at})` : `${source}${at}`;
  const query = new URLSearchParams({ id: documentId, start: String(start), end: String(end) });
  // A link cannot send a token, so with tokens only the name is shown.
  return tokenNeeded ? html`${label}` : html`<a href="/plain/document?${query.toString()}#answer">${label}</a>`;
}
