import { expect, it } from "vitest";
import type { AskResult } from "../../src/ask/result.js";
import { phraseView } from "./answer-view.js";

it("a result says what was searched for if only a part of a long question was read", () => {
  const steps = { encode: 0, terms: 0, dense: 0, read: 0, score: 0, text: 0 };
  const how = { strategy: "hybrid", level: "full", kind: "spans" } as const;
  const result: AskResult = { question: "long. who?", ...how, answers: [], passages: [], steps, tookMs: 1 };
  expect(phraseView({ ...result, searchedFor: "who?" }, 1)).toMatchObject({ searchedFor: "who?" });
  expect(phraseView(result, 1)).not.toHaveProperty("searchedFor");
});
