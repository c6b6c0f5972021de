import { describe, expect, it } from "vitest";
import { shownRange } from "./shown.js";

const STEPS =
  "Keep it dry.\n\nTo drain the pump:\n1. Close the valve.\n2. Open the tap.\n3. Tilt the pump.\n\nThen rest.";
const TABLE = "Settings are read once.\n\nName | Meaning\nport | where it listens\nroot | the folder\n\nEnd.";

function shown(question: string, text: string, answer: string, sentence = answer) {
  const span = (part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });
  const range = shownRange(question, text, { answer: span(answer), sentence: span(sentence) });
  const parts = range.header === undefined ? [range] : [range, range.header];
  return [range.shown, ...parts.map(({ start, end }) => text.slice(start, end))];
}

describe("shownRange", () => {
  it("is the sentence around a span, and the sentence itself for a longer answer", () => {
    expect(shown("what is open?", STEPS, "tap", "Open the tap.")).toEqual([
      "span",
      "Open the tap.",
      "To drain the pump:",
    ]);
    expect(shown("why rest?", STEPS, "rest", "Then rest.")).toEqual(["sentence", "Then rest."]);
  });

  it("is the whole list with the line that announces it, where steps are asked for", () => {
    const list = "To drain the pump:\n1. Close the valve.\n2. Open the tap.\n3. Tilt the pump.";
    expect(shown("how do I drain the pump?", STEPS, "tap")).toEqual(["list", list]);
    expect(shown("Wie entleere ich die Pumpe?", STEPS, "tap")).toEqual(["list", list]);
    expect(shown("需要哪些步骤？", STEPS, "tap")).toEqual(["list", list]);
  });

  it("is the whole list for an answer of several items, or in the line that announces them", () => {
    const tools = "For the service you need:\n\n- a wrench, size 17\n- a brush\n- a bucket\n\nClean it yearly.";
    const list = "For the service you need:\n\n- a wrench, size 17\n- a brush\n- a bucket";
    expect(shown("what tools do I need?", tools, "wrench, size 17\n- a brush")).toEqual(["list", list]);
    expect(shown("what are the tools?", tools, "For the service")).toEqual(["list", list]);
    expect(shown("what are the tools?", tools, "bucket\n\nClean it", "Clean it yearly.")[0]).toBe("span");
    expect(shown("what are the tools?", "You need:\n\nA brush.", "You need", "You need:")[0]).toBe("span");
    expect(shown("what are the tools?", "You need:", "You need", "You need:")[0]).toBe("span");
  });

  it("is the whole list of items with blank lines between them", () => {
    const lease = "Before you leave:\n\n1. Sweep the floor.\n\n2. Return the keys.\n\nThank you.";
    const list = "Before you leave:\n\n1. Sweep the floor.\n\n2. Return the keys.";
    expect(shown("how do I leave?", lease, "keys")).toEqual(["list", list]);
  });

  it("is an option with its description, where its name or the way is asked for", () => {
    const options = "Options\n\n--one\nThe first.\n\n--two\nThe second.\n";
    expect(shown("which option is second?", options, "--two")).toEqual(["item", "--two\nThe second."]);
    expect(shown("how do I get the second?", options, "second")).toEqual(["item", "--two\nThe second."]);
    expect(shown("what is it?", options, "second", "The second.")).toEqual(["span", "The second."]);
  });

  it("is the sentence if there is no list around the answer, or a very long one", () => {
    expect(shown("how do I store it?", STEPS, "dry", "Keep it dry.")).toEqual(["sentence", "Keep it dry."]);
    const long = "1. Close the valve.\n".repeat(100);
    expect(shown("how do I drain it?", `${long}2. Open the tap.`, "tap", "Open the tap.")[0]).toBe("sentence");
  });

  it("names what announces the list that an answer is in, because an item alone may say the opposite", () => {
    const lease =
      "Rules apply. The tenant shall not:\n(a) keep a dog;\n(b) smoke inside.\n\nThe tenant shall:\n(c) pay in time.";
    expect(shown("can the tenant keep a dog?", lease, "keep a dog", "(a) keep a dog;")).toEqual([
      "sentence",
      "(a) keep a dog;",
      "The tenant shall not:",
    ]);
    expect(shown("may I smoke?", lease, "smoke inside", "(b) smoke inside.").at(-1)).toBe("The tenant shall not:");
    expect(shown("when do I pay?", lease, "in time", "(c) pay in time.").at(-1)).toBe("The tenant shall:");
    const spaced = "Not covered are:\n\n- races\n\n- theft from a cellar\n";
    expect(shown("is theft covered?", spaced, "theft", "- theft from a cellar").at(-1)).toBe("Not covered are:");
    expect(shown("what applies?", lease, "Rules", "Rules apply.")).toEqual(["span", "Rules apply."]);
  });

  it("is the row of a table with the header", () => {
    expect(shown("what is the port?", TABLE, "where it listens")).toEqual([
      "row",
      "port | where it listens",
      "Name | Meaning",
    ]);
    expect(shown("which columns?", TABLE, "Meaning")).toEqual(["row", "Name | Meaning"]);
  });

  it("is the whole record in a file of records", () => {
    const text =
      "item: rope 20 m. price: 145.\n\nitem: hook. price: 89. supplier: Vik Steel.\n\nitem: lamp. price: 12.";
    const rangeOf = (answer: string, isRecord: boolean) => {
      const at = { start: text.indexOf(answer), end: text.indexOf(answer) + answer.length };
      const { shown, start, end } = shownRange("how much is it?", text, { answer: at, sentence: at, isRecord });
      return [shown, text.slice(start, end)];
    };
    expect(rangeOf("89", true)).toEqual(["row", "item: hook. price: 89. supplier: Vik Steel."]);
    expect(rangeOf("145", true)).toEqual(["row", "item: rope 20 m. price: 145."]);
    expect(rangeOf("12", true)).toEqual(["row", "item: lamp. price: 12."]);
    expect(rangeOf("89", false)).toEqual(["span", "89"]);
  });

  it("is no row if only one line has a bar", () => {
    expect(shown("what is piped?", "Use a | b here.", "b", "Use a | b here.")[0]).toBe("span");
  });
});
