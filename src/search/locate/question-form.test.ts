import { describe, expect, it } from "vitest";
import { askedFor, asksHow, mainClause } from "./question-form.js";

describe("askedFor", () => {
  it.each([
    ["who founded it?", "span"],
    ["how many domes are there?", "span"],
    ["what is the deposit?", "span"],
    ["deposit harbour street", "span"],
    ["why does it stop?", "sentence"],
    ["how does the pump work?", "steps"],
    ["what does the red light mean?", "sentence"],
    ["how do I drain the pump?", "steps"],
    ["what are the ingredients?", "list"],
    ["which tools do I need?", "list"],
    ["I am moving out. How do I get the deposit back?", "steps"],
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

describe("askedFor, in other languages", () => {
  it.each([
    ...["Warum tropft die Pumpe?", "Darf ich einen Hund halten?", "Gibt es einen Aufzug?"],
    ...["Pourquoi fuit-il ?", "Est-ce que les chiens sont admis ?", "Puis-je sous-louer ?"],
    ...["¿Por qué gotea?", "¿Puedo subarrendar el piso?", "Perché perde?", "Si può fumare in camera?"],
    ...["Por que pinga?", "É permitido fumar?", "Waarom lekt het?", "Mag ik een hond houden?"],
    ...["Dlaczego cieknie?", "Czy wolno palić?", "Почему течёт?", "Можно ли курить?", "Входит ли уборка в цену?"],
    ...["为什么漏水？", "可以养狗吗？", "押金是否退还？", "なぜ漏れますか？", "犬を飼えますか？"],
    ...["왜 새나요?", "개를 키울 수 있나요?", "لماذا يتسرب الماء؟", "هل يسمح بالتدخين؟"],
    ...[
      "Was war declared in 1939?",
      "Am I, as a tenant, liable?",
      "Do Jake and Mia share the flat?",
      "Hat die Wohnung einen Keller?",
    ],
    ...["「はい」は使えますか？"],
  ])("%j asks for a sentence", (question) => {
    expect(askedFor(question)).toBe("sentence");
  });

  it.each([
    ...[
      "Was kostet ein Schlüssel?",
      "Was gilt nach 22 Uhr?",
      "Am welchem Tag?",
      "Wie hoch ist die Kaution?",
      "Wer zahlt?",
    ],
    ...["Combien coûte une clé ?", "Comment s'appelle la gardienne ?", "¿Cuánto cuesta?", "¿Cómo se llama el perro?"],
    ...[
      "Come si chiama il custode?",
      "Quanto costa?",
      "Hoe laat gaat het open?",
      "Do kiedy trwa umowa?",
      "Ile kosztuje?",
    ],
    ...[
      "Как зовут дворника?",
      "Сколько стоит?",
      "押金是多少？",
      "何時に開きますか？",
      "いくらですか？",
      "몇 시에 여나요?",
    ],
    ...[
      "이름이 뭡니까?",
      "비밀번호가 뭔가요?",
      "사무실은 어딘가요?",
      "전화번호가 어떻게 되나요?",
      "임진왜란은 언제 일어났나요?",
    ],
    ...[
      "이 책의 작가?",
      "가장 큰 국가?",
      "《十万个为什么》的作者是谁？",
      "《如何阅读一本书》是谁写的？",
      "担当者はどなたですか？",
    ],
    ...[
      "como se llama el dueño?",
      "¿Por qué importe está asegurada?",
      "Por que valor foi vendida?",
      "War of 1812 start date",
    ],
    ...["Comment se nomme le gardien ?", "Hat size?", "Comment period deadline?"],
  ])("%j asks for a span", (question) => {
    expect(askedFor(question)).toBe("span");
  });
});

describe("askedFor, for steps and lists in other languages", () => {
  it.each([
    ...["Wie kann ein Mieter kündigen?", "Wie soll der Müll getrennt werden?", "Wie muss ich lüften?"],
    ...["Wie funktioniert der Filter?", "Wie entleere ich die Pumpe?", "Wie wird der Filter gereinigt?"],
    ...["Comment vider le bac ?", "Comment puis-je résilier ?", "¿Cómo se limpia?", "Cómo vaciar la bomba"],
    ...["Come pulire il filtro?", "Come si svuota?", "Como limpar o filtro?", "Como faço para cancelar?"],
    ...["Hoe kan ik opzeggen?", "Hoe reinig ik het filter?", "Jak wyczyścić filtr?", "Jak można zapłacić?"],
    ...["Как очистить фильтр?", "Как мне отменить?", "كيف أنظف المرشح؟", "怎么清洗滤网？", "如何退押金？"],
    ...[
      "どうやって掃除しますか？",
      "掃除の方法は？",
      "どうすればいいですか？",
      "어떻게 청소하나요?",
      "청소 방법은 무엇인가요?",
    ],
  ])("%j asks for steps", (question) => {
    expect(askedFor(question)).toBe("steps");
  });

  it.each([
    ...["Welche Zutaten brauche ich?", "Was brauche ich für den Teig?", "Nenne alle Ausgänge"],
    ...["Quels sont les ingrédients ?", "Que faut-il apporter ?", "¿Cuáles son los requisitos?"],
    ...["¿Qué ingredientes necesito?", "Quali documenti servono?", "Cosa serve per l'impasto?"],
    ...[
      "Quais são os documentos?",
      "Do que preciso para a massa?",
      "Welke papieren heb ik nodig?",
      "Wat heb ik nodig?",
    ],
    ...["Jakie są warunki?", "Jakie dokumenty muszę przynieść?", "Какие документы нужны?", "Что нужно взять с собой?"],
    ...["ما هي المكونات؟", "需要哪些材料？", "需要准备什么？", "材料は何ですか？", "何が必要ですか？"],
    ...["재료는 무엇인가요?", "무엇이 필요한가요?"],
  ])("%j asks for a list", (question) => {
    expect(askedFor(question)).toBe("list");
  });

  it.each([
    ...["Wie nennt man das Gerät?", "Wie lange muss ich warten?", "Welche Farbe hat die Tür?", "Welche Stadt ist das?"],
    ...[
      "Comment appelle-t-on ce pont ?",
      "¿Cómo se conoce el puente?",
      "Hoe noemt men de brug?",
      "Hoe lang moet ik wachten?",
    ],
    ...["Jakie miasto jest większe?", "Jak długo trzeba czekać?", "Как часто нужно чистить?", "ما هي عاصمة البلاد؟"],
    ...["Wie wird der Hafen genannt?", "Wie lange man warten muss", "Welche Frist muss ich einhalten?"],
    ...["Welche Telefonnummer kann ich anrufen?", "¿Qué dosis debo tomar?", "Welke bus moet ik nemen?"],
    ...[
      "Jakie hasło mam wpisać?",
      "Comment dit-on merci ?",
      "Comment est appelé ce pont ?",
      "comment character in YAML",
    ],
    ...["どのように呼ばれていますか", "他被如何称呼？", "어떻게 불리나요?", "Come here often"],
    ...["谁如何称呼他？", "变成怎样？", "사용료가 어떻게 되나요?"],
  ])("%j asks for neither", (question) => {
    expect(askedFor(question)).toBe("span");
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
