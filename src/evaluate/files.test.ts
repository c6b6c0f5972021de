import { describe, expect, it } from "vitest";
import { parseOpenQuestions } from "./open-questions.js";
import { parseReqa } from "./reqa-file.js";
import { paragraphId, parseSquad } from "./squad-file.js";

const squad = (context: string, answers: unknown, more: object = {}): unknown => ({
  version: "1.1",
  data: [{ title: "T_x", paragraphs: [{ context, qas: [{ id: "q1", question: "Who?", answers, ...more }] }] }],
});
const starts = (context: string, answers: unknown): (number | undefined)[] =>
  parseSquad(squad(context, answers)).articles[0]!.paragraphs[0]!.questions[0]!.answers.map(({ start }) => start);

describe("parseSquad", () => {
  it("reads articles, paragraphs, questions and answers", () => {
    expect(parseSquad(squad("Ines Calder founded it.", [{ text: "Calder", answer_start: 5 }]))).toEqual({
      version: "1.1",
      articles: [
        {
          title: "T_x",
          paragraphs: [
            {
              context: "Ines Calder founded it.",
              questions: [{ id: "q1", question: "Who?", answers: [{ text: "Calder", start: 5 }] }],
            },
          ],
        },
      ],
    });
    expect(paragraphId("T_x", 0)).toBe("T_x#0");
  });

  it("turns code points into UTF-16 units", () => {
    expect(starts("😀😀 cat 𝒳 cat", [{ text: "cat", answer_start: 9 }])).toEqual([12]);
  });

  it("finds an answer whose start is wrong or missing, the nearest one", () => {
    const context = "cat, dog, cat and a cow";
    expect(starts(context, [{ text: "cat", answer_start: 8 }])).toEqual([10]);
    expect(starts(context, [{ text: "cat", answer_start: 1 }])).toEqual([0]);
    expect(
      starts(context, [{ text: "cow" }, { text: "dog", answer_start: -5 }, { text: "cat", answer_start: 999 }]),
    ).toEqual([20, 5, 10]);
    expect(starts(context, [{ text: "horse", answer_start: 3 }])).toEqual([undefined]);
  });

  it("recognises version 2.0 by its name or by an impossible question", () => {
    const impossible = parseSquad(squad("x", [], { is_impossible: true, plausible_answers: [] }));
    expect(impossible.version).toBe("2.0");
    expect(impossible.articles[0]!.paragraphs[0]!.questions[0]!.answers).toEqual([]);
    expect(parseSquad({ version: "v2.0", data: [] }).version).toBe("2.0");
    expect(parseSquad({ version: "v1.0", data: [] }).version).toBe("1.1");
  });

  it.each([
    [[], "dev.json"],
    [{ data: {} }, "dev.json data"],
    [{ data: [{ title: "T" }] }, "dev.json data[0].paragraphs"],
    [{ data: [{ title: 4, paragraphs: [] }] }, "dev.json data[0].title"],
    [squad("x", "cat"), "dev.json data[0].paragraphs[0].qas[0].answers"],
    [squad("x", [{ text: 4 }]), "dev.json data[0].paragraphs[0].qas[0].answers[0].text"],
    [squad("x", [], { id: null }), "dev.json data[0].paragraphs[0].qas[0].id"],
  ])("names the place of a mistake: %j", (json, where) => {
    expect(() => parseSquad(json, "dev.json")).toThrow(
      expect.objectContaining({ code: "unreadable-document", where, message: expect.stringContaining(where) }),
    );
  });
});

describe("parseOpenQuestions", () => {
  it("reads lines with answers or a pattern", () => {
    const lines =
      '\ufeff{"id": 7, "question": "a?", "answers": ["x", "y"]}\r\n\n{"question": "b?", "answer_regex": "New\\\\s?York"}\n';
    const [one, two] = parseOpenQuestions(lines);
    expect(one).toEqual({ id: "7", question: "a?", answers: ["x", "y"] });
    expect(two).toMatchObject({ id: "3", question: "b?", answers: [] });
    expect(two!.pattern!.matchesAnywhere("in New York")).toBe(true);
    expect(parseOpenQuestions('{"question": "a?", "answers": []}')).toHaveLength(1);
  });

  it("reads a SQuAD file with its paragraphs as gold passages", () => {
    const text = JSON.stringify(squad("a cat", [{ text: "cat", answer_start: 2 }]), null, 1);
    expect(parseOpenQuestions(text)).toEqual([
      { id: "q1", question: "Who?", answers: ["cat"], goldPassages: ["T_x#0"] },
    ]);
  });

  it.each([
    ["", "q.jsonl", "unreadable-document"],
    ['{"question": "a?", "answers": []}\n{"question": 4}', "q.jsonl:2.question", "unreadable-document"],
    ['{"question": "a?"}', "q.jsonl:1", "unreadable-document"],
    ['{"question": "a?", "answers": [4]}', "q.jsonl:1.answers[0]", "unreadable-document"],
    ["{nonsense", "q.jsonl:1", "unreadable-document"],
    ["[1]\n[2]", "q.jsonl:1", "unreadable-document"],
    ['{"question": "a?", "answer_regex": "("}', "q.jsonl:1.answer_regex", "invalid-argument"],
  ])("names the place of a mistake: %s", (text, where, code) => {
    expect(() => parseOpenQuestions(text, "q.jsonl")).toThrow(expect.objectContaining({ code, where }));
  });
});

describe("parseReqa", () => {
  it("lets repeated questions and copies of a sentence count", () => {
    const file = parseReqa({
      questions: ["a?", "b?", "a?"],
      candidates: ["s0", "s1", "s0", "s3"],
      ground_truths: [[0], [1], [3]],
    });
    expect(file.right).toEqual([[0, 2, 3], [1], [0, 2, 3]]);
    expect(file.candidates).toHaveLength(4);
  });

  it.each([
    [{ questions: [], candidates: [] }, "r.json ground_truths"],
    [{ questions: ["a"], candidates: ["s"], ground_truths: [] }, "r.json ground_truths"],
    [{ questions: ["a"], candidates: ["s"], ground_truths: [[1]] }, "r.json ground_truths[0][0]"],
    [{ questions: ["a"], candidates: [4], ground_truths: [[0]] }, "r.json candidates[0]"],
    [null, "r.json"],
  ])("names the place of a mistake: %j", (json, where) => {
    expect(() => parseReqa(json, "r.json")).toThrow(expect.objectContaining({ code: "unreadable-document", where }));
  });
});
