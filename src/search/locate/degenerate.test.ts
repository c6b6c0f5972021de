import { describe, expect, it } from "vitest";
import { degenerateIn } from "./degenerate.js";

function isDegenerate(question: string, text: string, passageText = `In it, ${text} is written.`): boolean {
  const passageStart = 100;
  const start = passageStart + passageText.indexOf(text);
  return degenerateIn(question)({ text, start, passageStart, passageText });
}

describe("degenerateIn", () => {
  it.each([".", "…", "–", "(", "the", "of the", "They were", "on", "that"])(
    "rejects %j, which says nothing",
    (text) => {
      expect(isDegenerate("Who paid for the telescope?", text)).toBe(true);
    },
  );

  it.each(["US", "the WHO", "May", "Will", "1911", "£5", "no smoking", "東京"])("accepts %j", (text) => {
    expect(isDegenerate("Who paid for the telescope?", text)).toBe(false);
  });

  it.each(["telescope", "the telescope", "paid for", "The TELESCOPE, paid"])(
    "rejects %j, which the question says itself",
    (text) => {
      expect(isDegenerate("Who paid for the telescope?", text)).toBe(true);
    },
  );

  it("rejects parts of two paragraphs, but not of two lines", () => {
    expect(isDegenerate("How many adverts may there be?", "no more than seven.\n \n9")).toBe(true);
    expect(isDegenerate("How many adverts may there be?", "no more\nthan seven")).toBe(false);
  });

  it("rejects parts of two settings or fields, which have lines of their own", () => {
    const question = "What is the session timeout?";
    expect(isDegenerate(question, "25\nmail.from=noreply@kite.example")).toBe(true);
    expect(isDegenerate(question, "degrees Celsius\nmin_temp = 4.5")).toBe(true);
    expect(isDegenerate(question, "the Moreno family\nRoof repair: in 2026")).toBe(true);
    expect(isDegenerate(question, "between 9:15\nand 10:30 on Sundays")).toBe(false);
    expect(isDegenerate("Which steps are there?", "25\nmail.from=noreply@kite.example")).toBe(false);
  });

  it("rejects parts of two rows of a table, but not of one", () => {
    const table = "Hall | Capacity\nNorth | 40\nSouth | 65\n\nAsk at the\noffice.";
    const question = "How many people fit?";
    expect(isDegenerate(question, "40\nSouth", table)).toBe(true);
    expect(isDegenerate(question, "Capacity\nNorth | 40\nSouth", table)).toBe(true);
    expect(isDegenerate(question, "North | 40", table)).toBe(false);
    expect(isDegenerate(question, "at the\noffice", table)).toBe(false);
    expect(isDegenerate(question, "the\nhall", "at the\nhall | 40")).toBe(false);
  });

  it("compares scripts without spaces by pairs of characters", () => {
    expect(isDegenerate("押金是多少？", "押金")).toBe(true);
    expect(isDegenerate("房东什么时候退租金？", "房租")).toBe(false);
    expect(isDegenerate("ピアノは何時間まで？", "二時間以内")).toBe(false);
    expect(isDegenerate("红灯还是绿灯？", "绿灯")).toBe(false);
    expect(isDegenerate("Ist die Lampe rot oder grün?", "grün")).toBe(false);
  });

  it.each([
    ["Which vitamin does the body make in sunlight?", "vitamin D"],
    ["Which world war began in 1914?", "World War I"],
    ["Which building is the laboratory in?", "Building A"],
    ["What size is the smallest shirt?", "S"],
    ["¿Cuántos días de vacaciones hay al año?", "once"],
    ["An welchem Tag der Woche ist in der Küche Ruhetag?", "Do"],
    ["Co zbudowano w mieście w 1928 roku?", "most"],
  ])("accepts as an answer to %j: %s", (question, text) => {
    expect(isDegenerate(question, text)).toBe(false);
  });

  it.each([
    ["¿El alquiler del piso se paga mensual o anual?", "anual"],
    ["L'affitto è mensile o annuale?", "annuale"],
    ["Betaal je de huur van het huis per maand of per jaar?", "per jaar"],
    ["Czy czynsz za mieszkanie jest miesięczny czy roczny?", "roczny"],
    ["押金是现金或转账？", "转账"],
    ["هل الإيجار شهري أم سنوي؟", "سنوي"],
  ])("accepts a choice of %j: %s", (question, text) => {
    expect(isDegenerate(question, text)).toBe(false);
  });

  it.each(["A", "I", "it is I and they"])("rejects %j, which says nothing", (text) => {
    expect(isDegenerate("Who paid for the telescope?", text)).toBe(true);
  });

  it.each([
    ["Is the X100 waterproof?", "no", "Model: X100; Waterproof: no"],
    ["Is it open on Monday?", "no", "Day | Open | Note\nMonday | no | closed"],
    ["Does the warranty cover frost damage?", "Not at all.", "Does it cover frost damage?\nNot at all."],
    ["How many were saved?", "None", "How many were saved? None."],
    ["What grade did Anna get in history?", "A", "She got the grade A in history."],
    ["What is Anna's blood group?", "A-", "She has blood group A-. Dora has AB+."],
    ["What is Anna's blood group?", "A", "Tom | A\nSue | B"],
    ["Which band played?", "The Who", "The band was The Who, as in 1969."],
    ["What is the film called?", "Us", "His second film is Us."],
  ])("%j: accepts %j, which says all there is to say", (question, text, passage) => {
    expect(isDegenerate(question, text, passage)).toBe(false);
  });

  it.each([
    ["Who paid?", "no", "There is no money."],
    ["Who paid?", "on", "The house ends on 2024-03-31."],
    ["Who paid?", "The", "The house is old. The fund paid."],
    ["Who paid?", "A", "A house was built."],
    ["Who paid?", "It", "Nobody knows. It is not said."],
    ["Who paid?", "I", "My brother and I paid."],
  ])("%j: rejects %j, which is a part of a sentence", (question, text, passage) => {
    expect(isDegenerate(question, text, passage)).toBe(true);
  });

  it("accepts more than the question's words, and the words of a choice", () => {
    expect(isDegenerate("Who paid for the telescope?", "the telescope fund")).toBe(false);
    expect(isDegenerate("Is the lamp red or green?", "green")).toBe(false);
  });

  it.each(["3.", "3", "3)", "(b)", "iv."])("rejects the list number %j at the beginning of a line", (text) => {
    expect(isDegenerate("What comes first?", text, `Do this:\n  ${text}${/\W$/.test(text) ? "" : "."} Close it`)).toBe(
      true,
    );
  });

  it("accepts a number that is not the number of a list item", () => {
    expect(isDegenerate("How many?", "3", "There were 3 of them.")).toBe(false);
    expect(isDegenerate("How many?", "3", "The number:\n3 of them")).toBe(false);
    expect(isDegenerate("How much?", "3", "It costs\n3.50 euros")).toBe(false);
    expect(isDegenerate("When?", "1911.", "It was founded in\n1911. Then")).toBe(false);
  });
});
