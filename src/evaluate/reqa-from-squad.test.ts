import { expect, it } from "vitest";
import { reqaFromSquad } from "./reqa-from-squad.js";
import { parseSquad } from "./squad-file.js";

it("makes every sentence a candidate and the sentence of the answer the right one", () => {
  const context = "北京是首都。天安门在北京。他说：“上海很大。”北京是首都。";
  const qas = [
    { id: "1", question: "首都是哪里？", answers: [{ text: "北京", answer_start: 0 }] },
    { id: "2", question: "天安门在哪里？", answers: [{ text: "北京", answer_start: 10 }] },
    { id: "3", question: "谁很大？", answers: [{ text: "上海", answer_start: 17 }] },
    { id: "4", question: "跨句？", answers: [{ text: "首都。天安门", answer_start: 3 }] },
    { id: "5", question: "没有？", answers: [{ text: "广州", answer_start: 0 }] },
  ];
  const file = parseSquad({ data: [{ title: "t", paragraphs: [{ context, qas }] }] });
  expect(reqaFromSquad(file)).toEqual({
    candidates: ["北京是首都。", "天安门在北京。", "他说：“上海很大。”", "北京是首都。"],
    questions: ["首都是哪里？", "天安门在哪里？", "谁很大？"],
    // The first sentence comes twice, and both copies are right.
    right: [[0, 3], [1], [2]],
    dropped: 2,
  });
});
