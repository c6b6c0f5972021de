import { describe, expect, it } from "vitest";
import { VerbatimError } from "../errors.js";
import { parseQuestion } from "./question-syntax.js";

const plain = (text: string) => ({ text, quoted: [], restriction: undefined });

describe("the operators of a question", () => {
  it.each([
    ['who wrote "the long winter"?', "who wrote the long winter?", ["the long winter"], []],
    ["“red barn” fire", "red barn fire", ["red barn"], []],
    ["wer schrieb „Der Prozess“?", "wer schrieb Der Prozess?", ["Der Prozess"], []],
    ["qui dit « bon vent » ?", "qui dit bon vent ?", ["bon vent"], []],
    ['the phrase "as is," please', "the phrase as is, please", ["as is"], []],
    ['"a b" and "a b" and “c”', "a b and a b and c", ["a b", "c"], []],
    ["jaguar -car speed", "jaguar speed", [], ["car"]],
    ["who paid -ship?", "who paid?", [], ["ship"]],
    ["-ship who paid", "who paid", [], ["ship"]],
    ["mail (-e-mail)", "mail ()", [], ["e-mail"]],
    ["who -O'Brien -node.js", "who", [], ["O'Brien", "node.js"]],
    ['pumps -"red barn" valve', "pumps valve", [], ["red barn"]],
    ['who "paid -ship" now -car', "who paid -ship now", ["paid -ship"], ["car"]],
    ['who made the "12" disk"?', 'who made the 12" disk?', ['12" disk'], []],
    ['size "12" or a 14" one', 'size 12 or a 14" one', ["12"], []],
    ['"only a phrase"', "only a phrase", ["only a phrase"], []],
  ])("reads %s", (question, text, phrases, excluded) => {
    const parsed = parseQuestion(question);
    expect(parsed.text).toBe(text);
    expect(parsed.restriction).toEqual({ phrases, excluded });
  });

  it.each([
    "who paid for the telescope?",
    'a "quote that does not end',
    'a 5" pipe and a 6" one',
    'what is ""?',
    'what is "…"?',
    "don't 'stop the music' now",
    "at -5 degrees",
    "an e-mail about the well-known name",
    "the pump - a tank",
    "the pump – a tank",
    "what does -v do, and --all?",
    "3-phase -",
    "Wie sind Wareneingang und -ausgang geregelt?",
    "Wer haftet für Wareneingang, -lagerung und -ausgang?",
    "Wat kost aankoop en -verkoop?",
  ])("reads %s as text", (question) => {
    expect(parseQuestion(question)).toEqual(plain(question));
  });

  it("knows which words were in quotation marks", () => {
    const { text, quoted } = parseQuestion(' "teh" valve -car “of teh” pump');
    expect(quoted.map(({ start, end }) => text.slice(start, end))).toEqual(["teh", "of teh"]);
  });

  it("refuses a question of excluded words only, and too many operators", () => {
    expect(() => parseQuestion("-car ?")).toThrow(VerbatimError);
    expect(() => parseQuestion('"a" '.repeat(17))).toThrow("more than 16");
  });
});
