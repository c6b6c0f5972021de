/**
 * Generated malformed requests: no response is a 500, every refusal is a problem document, and none
 * contains a path or a stack of this machine. VERBATIM_MALFORMED=20000 sends that many.
 */

import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { ADMIN, ROOT, type Served, served, WRITE } from "./served.js";

const REQUESTS = Number(process.env.VERBATIM_MALFORMED ?? 2000);
vi.setConfig({ testTimeout: 300_000 + REQUESTS * 60 });

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom(
    "",
    "who founded the observatory?",
    "../../etc/passwd",
    "\u0000",
    "\ud800",
    "%",
    "%00",
    "__proto__",
    "<script>",
  ),
);
const segment = fc.oneof(
  text.map(encode),
  fc.constantFrom(
    "history",
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "%",
    "%zz",
    "%ff%fe",
    "a".repeat(3000),
    "%00",
    "constructor",
    "notes%2Fdeep%2Fbridge",
  ),
);
const path = fc.oneof(
  fc.constantFrom(
    "/v1/ask",
    "/v1/explain",
    "/v1/quote",
    "/v1/documents",
    "/v1/uploads",
    "/v1/status",
    "/metrics",
    "/plain",
    "/docs",
    "/",
    "/readyz",
  ),
  segment.map((id) => `/v1/documents/${id}`),
  segment.map((id) => `/v1/jobs/${id}`),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`),
  fc.constant("/plain/document"),
);
const query = fc.array(
  fc.tuple(
    fc.constantFrom("limit", "after", "contains", "from", "to", "name", "wait", "q", "id", "start", "end", "toString"),
    fc.oneof(text, fc.constantFrom("-1", "1e99", "NaN", "0x10", "99999999999999999999", "true", "history", "5")),
  ),
  { maxLength: 4 },
);
const options = fc.record(
  {
    question: fc.oneof(text, fc.anything()),
    questions: fc.oneof(fc.array(text, { maxLength: 5 }), fc.anything()),
    topK: fc.oneof(fc.integer(), fc.double(), fc.constant("5")),
    strategy: fc.oneof(fc.constantFrom("hybrid", "sparse-first", "dense-first", "exhaustive", "sparta-reader"), text),
    where: fc.oneof(
      text,
      fc
        .array(fc.constantFrom("year", ">=", "1890", "and", "or", "not", "(", ")", '"a"', "in", "[x]", "exists"), {
          maxLength: 12,
        })
        .map((it) => it.join(" ")),
    ),
    maxAnswerTokens: fc.oneof(fc.integer(), fc.constant(null)),
    explain: fc.oneof(fc.boolean(), fc.constant("yes")),
    atLeastVersion: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double()),
    text,
    title: fc.oneof(text, fc.anything()),
    metadata: fc.oneof(
      fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text), fc.constant(null))),
      fc.anything(),
    ),
  },
  { requiredKeys: [] },
);
const asJson = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, it) => (typeof it === "bigint" ? String(it) : it)) ?? "";
  } catch {
    return "{";
  }
};
const body = fc.oneof(
  { weight: 4, arbitrary: options.map(asJson) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "[".repeat(20_000),
      `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      '{"question":"\\ud800"}',
      "\ufeff{}",
      "null",
      "{}",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(options.map(asJson), fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))),
  },
);
const headerText = fc
  .string({ unit: "binary-ascii", maxLength: 40 })
  .map((it) => it.replace(/[^\x20-\x7e]/g, "").trim());
const headers = fc.record(
  {
    "Content-Type": fc.oneof(
      fc.constantFrom("application/json", "application/json; charset=latin1", "text/plain", "multipart/form-data"),
      headerText,
    ),
    Accept: fc.oneof(fc.constantFrom("text/event-stream", "*/*"), headerText),
    Host: fc.oneof({ weight: 8, arbitrary: fc.constant("localhost") }, { weight: 1, arbitrary: headerText }),
    Origin: fc.oneof({ weight: 3, arbitrary: fc.constant("http://localhost") }, { weight: 1, arbitrary: headerText }),
    Authorization: fc.oneof(fc.constantFrom(`Bearer ${ADMIN}`, `Bearer ${WRITE}`, "Bearer", "Basic YTpi"), headerText),
    "Content-Length": fc.constantFrom("0", "-5", "1e9", "999999999999"),
    "If-None-Match": headerText,
    "Sec-Fetch-Site": fc.constantFrom("cross-site", "same-origin", "none"),
  },
  { requiredKeys: ["Content-Type"] },
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "get"),
  path,
  query,
  headers,
  body,
});

type MadeRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** Lone surrogates cannot be percent-encoded. */
function encode(given: string): string {
  return encodeURIComponent(given.replace(/[\ud800-\udfff]/g, "\ufffd"));
}

/**
 * Folders of the served documents and of this machine, frames of a stack, and names of our files.
 */
const LEAK = new RegExp(
  `${ROOT}|/secret/|/other/place|${process.cwd()}|\\bat [\\w.<> ]+ \\(|node:internal|node_modules|\\.(ts|js|mjs):\\d+`,
);

async function check({ send }: Served, given: MadeRequest): Promise<number> {
  const { method } = given;
  const search = given.query.map(([name, value]) => `${name}=${encode(value)}`).join("&");
  const withBody = !["GET", "HEAD", "get"].includes(method);
  const response = await send(method, `${given.path}${search === "" ? "" : `?${search}`}`, {
    headers: Object.fromEntries(Object.entries(given.headers).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
    ...(withBody ? { body: given.body as RequestInit["body"] } : {}),
  });
  const responseText = await response.text();
  if (response.status >= 500) expect(response.status, responseText).toBe(503);
  expect(responseText).not.toMatch(LEAK);
  for (const [, value] of response.headers) expect(value).not.toMatch(LEAK);
  const html = response.headers.get("Content-Type")?.startsWith("text/html");
  if (response.status >= 400 && !html && method !== "HEAD") {
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect(JSON.parse(responseText)).toMatchObject({ status: response.status, title: expect.any(String) });
  }
  return response.status;
}

it(`answers ${REQUESTS} malformed requests without a 500 and without a path or a stack`, async () => {
  const server = await served();
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      const status = await check(server, given);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }),
    { numRuns: REQUESTS, seed: 20_261, endOnFailure: true },
  );
  // The generator reaches behind the first check: it must see successes and refusals of every kind.
  for (const status of [200, 400, 401, 403, 404, 405, 413, 415])
    expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(0);
  expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
});
