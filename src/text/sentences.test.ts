import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitSentences } from "./sentences.js";

const split = (text: string): string[] => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe("splitSentences", () => {
  // Each text is its sentences joined by "¦".
  const cases: Record<string, string[]> = {
    "terminators and closing marks": [
      "He left. ¦She stayed! ¦Why? ¦Nobody knew…",
      '"Go away." ¦She went. ¦(He did too.) ¦[It was late.] ¦Then night came.',
      "“Is it true?” ¦He nodded. ¦‘Yes.’ ¦«Oui.» ¦Fine.",
      '"Really?" he said. ¦"Yes!" she cried.',
      "It was built in 1911.[12] ¦The tower fell.[a][3] ¦Then it rose.",
      "**Bold.** ¦_Soft._ ¦Next.",
      "What?! ¦No way!! ¦Stop.",
    ],
    "titles, initials and abbreviations": [
      "Mr. Smith met Dr. Jones and Prof. Lee on St. Mary's Road. ¦They spoke.",
      "J. R. R. Tolkien wrote it. ¦C.S. Lewis read it.",
      "The U.S. Army came. ¦He lives in the U.S. ¦The rest do not.",
      "Use fruit, e.g. apples, i.e. sweet ones vs. sour ones. ¦Wash them, etc. ¦Then eat.",
      "Acme Inc. makes tools. ¦It was bought by Acme Inc. ¦The price was low.",
      "On Jan. 5 and Dec. 24, 1999, it closed at 5 p.m. sharp. ¦See No. 7, pp. 3–4, Fig. 2 and vol. 9.",
      "Smith et al. (2004) found it. ¦Jones et al. did not.",
      "The answer is no. ¦He said so.",
      "King John Jr. ruled. ¦Washington D.C. is a city.",
      "Yahoo! is a firm. ¦It was founded by two men.",
    ],
    "numbers, ellipses, names with dots": [
      "Pi is 3.14159. ¦Version 2.0.1 is out. ¦It costs $1.50. ¦See example.com or Node.js today.",
      "Wait... what was that? ¦Well... ¦Nothing.",
      "The voltage is 5 V. ¦Current is 2 A. ¦It fell to -42.3 °C. ¦Profit rose.",
      "It ended in 1945. ¦Then it began. ¦Nobody came in 1950.",
      "i went home. ¦then i slept.",
    ],
    "other scripts": [
      "他来了。¦她走了！¦为什么？¦「好的。」¦他说。",
      "これはペンです。¦あれは本です。",
      "「はい。」と彼は言った。¦「いいえ。」¦それは違う。",
      "真的吗?¦我不知道!¦“好吧。”¦他说。¦等等……我想想…然后走了。",
      "図１．２を参照．¦次の章で述べる．",
      "한국어 문장이다. ¦두 번째 문장인가? ¦그렇다.",
      "ما هي الرسوم؟ ¦تدفع الرسوم في ١ مارس. ¦ثم يسلم المفتاح.",
      `${"ก".repeat(80)} ¦${"ข".repeat(20)} ${"ค".repeat(60)} ¦${"ง".repeat(20)}`,
      "यह एक वाक्य है। ¦यह दूसरा है।",
    ],
    "other languages": [
      "Die Kaution, z. B. Bargeld, d. h. Scheine, wird am 3. Oktober fällig. ¦Herr Dr. Groß wohnt im 1. Stock. ¦Siehe Abs. 2.",
      "Vom 5. April bis zum 12. August ist zu. ¦Das gilt bzw. galt ab 2024. ¦Danach nicht.",
      "Am 1. 10. 2024 und 3. 11. fällig, also (3. 11.). ¦Es gilt ab 1. 5. 2025. ¦Der Rest folgt. ¦Zone 3. ¦10 Leute kamen.",
      "Der Bau kostet 12 Mio. ¦Die Stadt zahlt. ¦Er wohnt in der Langen Str. ¦Das Haus ist alt.",
      "Keep this in mind. ¦The museum is a hidden gem. ¦It opens at nine. ¦La capacità è di 50 lt. ¦Il serbatoio è nuovo.",
      "As set out in clause 12. ¦13. The landlord pays. ¦Boil for 10. ¦2. Add salt.",
      "Das kostet 12 Mio. Euro, einschl. Heizung, mtl. Miete in der Lange Str. 5. ¦Es waren 3 Mrd. ¦Der Rest fehlt.",
      "Koszt to 5 tys. zł i 2 mln. zł rocznie. ¦Цена 5 тыс. руб. в год. ¦Он платит.",
      "M. Dupont et MM. Durand arrivent. ¦Voir p. 12. ¦¿Qué hora es? ¦La Sra. García vive en EE. UU. desde 2010.",
      "Il sig. Rossi e il dott. Bianchi pagano. ¦A Sra. Silva também. ¦Dhr. de Vries betaalt bijv. Vandaag niet.",
      "Pan dr Kowal mieszka przy ul. Długiej 5, np. Piotr. ¦Zob. ¦Koniec.",
      "Дом на ул. Ленина, д. 5, т. е. Старый дом. ¦Проф. Иванов приехал. ¦Он живёт здесь.",
    ],
    lines: [
      "洗衣机使用说明书\n¦一、安装\n¦机器应放在平整坚固的地面上。¦不要放在地毯上。\n¦1、接通水源\n¦（2）接通电源",
      "本合同自双方签字之日起生效，有效期为一年，期满前三十日双方无异议的，\n自动延长一年。¦押金在退租后十四日内退还，扣除未付的水电费以及房屋的修\n理费和清洁费。\n¦钥匙如有遗失。\n¦由承租人承担更换门锁的费用以及其他相关的一切费用，出租人不承担。",
      "세탁기는 평평하고 단단한 바닥에 설치하고 카펫 위에는 절대로 놓지\n마십시오. ¦물을 잠그십시오.",
      "First paragraph\n\n¦Second paragraph",
      "A wrapped line of prose that runs\nto the next line without a stop\nand then ends here. ¦Next.",
      "Shopping:\n¦- milk\n¦- bread and\n  butter\n¦* eggs",
      "1. Boil the water.\n¦2. Add salt. ¦Wait.\n¦3) Serve",
      "# Title\n¦Text under the title. ¦More.\n\n¦## Part\n¦End",
      "History of the club\n¦The club was founded in 1911 by a group of students from the old town who liked to swim.",
      `${"A long line that is one paragraph ".repeat(6)}\n¦Another paragraph`,
      "Name: Ines\n¦Town: Lund\n¦Year: 1911",
      "| a | b |\n¦| 1 | 2 |",
      "Page one ends\f¦Page two begins",
      "Title\r\n¦=====\r\n¦Text.",
    ],
  };
  for (const [name, texts] of Object.entries(cases)) {
    it(name, () => {
      for (const marked of texts) {
        const expected = marked.split("¦");
        expect(split(expected.join(""))).toEqual(expected.map((sentence) => sentence.trim()));
      }
    });
  }

  it("reads only the given range", () => {
    const text = "One. Two. Three.";
    expect(splitSentences(text, 5, 12)).toEqual([
      { start: 5, end: 9 },
      { start: 10, end: 12 },
    ]);
    expect(splitSentences("")).toEqual([]);
    expect(splitSentences(" \n\t ")).toEqual([]);
  });

  const piece = fc.constantFrom(
    ..."abcXYZ 19.!?…。！\"'”)([]-*#|\n\t\r\f\u2028\u2029\u00a0\u3000é中😀",
    ...[
      "Mr. ",
      "e.g. ",
      "\n\n",
      "\r\n",
      "- ",
      "1. ",
      "The ",
      ". ",
      "... ",
      "[1]",
      "U.S. ",
      "word ",
      "\n# ",
      "😀",
      "\ud800",
    ],
  );
  const anyText = fc.array(piece, { maxLength: 200 }).map((parts) => parts.join(""));

  it("returns trimmed spans in order that cover every character except white space", () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), fc.nat(20), (text, a, b) => {
        const from = Math.min(a, text.length);
        const to = Math.max(from, text.length - b);
        let position = from;
        for (const { start, end } of splitSentences(text, from, to)) {
          expect(start).toBeGreaterThanOrEqual(position);
          expect(end).toBeGreaterThan(start);
          expect(text.slice(position, start).trim()).toBe("");
          expect(text.slice(start, end).trim()).toBe(text.slice(start, end));
          position = end;
        }
        expect(text.slice(position, to).trim()).toBe("");
        expect(position).toBeLessThanOrEqual(to);
      }),
      { numRuns: 3000, seed: 3 },
    );
  });

  it("takes linear time on hostile text", () => {
    const n = 300_000;
    // CPU time, because wall time depends on the load of the machine.
    const started = process.cpuUsage();
    for (const unit of [". ", "(", "1. ", "\n", " ", "[1", ".[1]", "a.", "-", "\n- ", "((1. a", "\r", "a\n"]) {
      splitSentences(unit.repeat(n / unit.length));
      splitSentences(`${unit.repeat(n / unit.length)}1. a 1. a. The`);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(20e6);
  });
});
