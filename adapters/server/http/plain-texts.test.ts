import { expect, it } from "vitest";
import { plainLanguage, plainTexts } from "./plain-texts.js";

it.each([
  [undefined, "en"],
  ["", "en"],
  ["de", "de"],
  ["de-AT,en;q=0.9", "de"],
  ["nl, zh-TW;q=0.8, fr;q=0.9", "fr"],
  ["en;q=0.5,es", "es"],
  ["fr;q=0, ES;Q=0.1", "es"],
  ["fr, zh", "fr"],
  ["pt-BR,*", "en"],
  ["constructor, __proto__", "en"],
  ["de;q=x", "en"],
  [`${"x,".repeat(100_000)}de`, "en"],
])("Accept-Language %.40s is answered in %s", (header, language) => {
  expect(plainLanguage(header)).toBe(language);
});

it("counts less likely answers in every language", () => {
  const texts = (["en", "de", "es", "fr", "zh"] as const).map((language) => plainTexts(language).lessLikely);
  expect(texts.map((text) => text(1))).toEqual([
    "1 less likely answer",
    "1 weniger wahrscheinliche Antwort",
    "1 respuesta menos probable",
    "1 réponse moins probable",
    "1 个可能性较低的答案",
  ]);
  expect(texts.map((text) => text(3))[1]).toBe("3 weniger wahrscheinliche Antworten");
});
