import { describe, expect, it } from "vitest";
import { askedFor, shownRange } from "./shown.js";

const STEPS =
  "Keep it dry.\n\nTo drain the pump:\n1. Close the valve.\n2. Open the tap.\n3. Tilt the pump.\n\nThen rest.";
const TABLE = "Settings are read once.\n\nName | Meaning\nport | where it listens\nroot | the folder\n\nEnd.";

function shown(question: string, text: string, answer: string, sentence = answer) {
  const span = (part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });
  const range = shownRange(question, text, { answer: span(answer), sentence: span(sentence) });
  const parts = range.header === undefined ? [range] : [range, range.header];
  return [range.shown, ...parts.map(({ start, end }) => text.slice(start, end))];
}

describe("askedFor", () => {
  it.each([
    ["who founded it?", "span"],
    ["how many domes are there?", "span"],
    ["what is the deposit?", "span"],
    ["deposit harbour street", "span"],
    ["why does it stop?", "sentence"],
    ["how does the pump work?", "sentence"],
    ["what does the red light mean?", "sentence"],
    ["is smoking allowed?", "sentence"],
    ["Does it rain?", "sentence"],
    ["how do I drain the pump?", "list"],
    ["what are the ingredients?", "list"],
    ["which tools do I need?", "list"],
  ])("%j asks for a %s", (question, kind) => {
    expect(askedFor(question)).toBe(kind);
  });
});

describe("shownRange", () => {
  it("is the sentence around a span, and the sentence itself for a longer answer", () => {
    expect(shown("what is open?", STEPS, "tap", "Open the tap.")).toEqual(["span", "Open the tap."]);
    expect(shown("why open it?", STEPS, "tap", "Open the tap.")).toEqual(["sentence", "Open the tap."]);
  });

  it("is the whole list with the line that announces it, where steps are asked for", () => {
    const list = "To drain the pump:\n1. Close the valve.\n2. Open the tap.\n3. Tilt the pump.";
    expect(shown("how do I drain the pump?", STEPS, "tap")).toEqual(["list", list]);
  });

  it("is the sentence if there is no list around the answer, or a very long one", () => {
    expect(shown("how do I store it?", STEPS, "dry", "Keep it dry.")).toEqual(["sentence", "Keep it dry."]);
    const long = "1. Close the valve.\n".repeat(100);
    expect(shown("how do I drain it?", `${long}2. Open the tap.`, "tap", "Open the tap.")[0]).toBe("sentence");
  });

  it("is the row of a table with the header", () => {
    expect(shown("what is the port?", TABLE, "where it listens")).toEqual([
      "row",
      "port | where it listens",
      "Name | Meaning",
    ]);
    expect(shown("which columns?", TABLE, "Meaning")).toEqual(["row", "Name | Meaning"]);
  });

  it("is no row if only one line has a bar", () => {
    expect(shown("what is piped?", "Use a | b here.", "b", "Use a | b here.")[0]).toBe("span");
  });
});
