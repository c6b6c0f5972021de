import { describe, expect, it } from "vitest";
import { askedFor, asksHow, mainClause } from "./question-form.js";

describe("askedFor", () => {
  it.each([
    ["who founded it?", "span"],
    ["how many domes are there?", "span"],
    ["what is the deposit?", "span"],
    ["deposit harbour street", "span"],
    ["why does it stop?", "sentence"],
    ["how does the pump work?", "sentence"],
    ["what does the red light mean?", "sentence"],
    ["how do I drain the pump?", "list"],
    ["what are the ingredients?", "list"],
    ["which tools do I need?", "list"],
    ["I am moving out. How do I get the deposit back?", "list"],
    ["If it freezes, who pays?", "span"],
    ["When did it open, and who paid?", "span"],
  ])("%j asks for a %s", (question, kind) => {
    expect(askedFor(question)).toBe(kind);
  });

  it.each([
    "is smoking allowed?",
    "Are dogs allowed?",
    "Was it sold?",
    "Does it rain?",
    "did they pay?",
    "Can I sublet?",
    "Could it freeze?",
    "may I paint the walls?",
    "Might it leak?",
    "must I sweep?",
    "Shall we clean it?",
    "should the valve be open?",
    "Has it been repaired?",
    "Have they agreed?",
    "had it rained?",
    "Will it last?",
    "would it help?",
    "Need I sign?",
    "Isn't it covered?",
    "aren’t dogs allowed?",
    "Doesn't it stop?",
    "Can't I sublet?",
    "won't it freeze?",
    "If the pump freezes, is it covered by the warranty?",
    "When the tank is full, does the pump stop?",
    "According to the lease, may I keep a dog?",
    "I have a dog. Is that allowed?",
    "So is it closed?",
  ])("%j asks for the sentence that decides", (question) => {
    expect(askedFor(question)).toBe("sentence");
  });
});

it("a how question is not a measure", () => {
  expect(["how do I stop it?", "If it leaks, how can I stop it?"].every(asksHow)).toBe(true);
  expect(["how many are there?", "who knows how?"].some(asksHow)).toBe(false);
});

it("the main clause is the last sentence without what leads to it", () => {
  expect(mainClause("I moved. If it rains, who pays? ")).toBe("who pays?");
  expect(mainClause("Dr. Roe paid what?")).toBe("Roe paid what?");
});
