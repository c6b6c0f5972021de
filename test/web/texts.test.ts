/** The page's texts: complete in every language, with equal placeholders, and nowhere else. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { RequestError } from "../../web/src/request-error.js";
import { restrictionLabel } from "../../web/src/restriction-label.js";
import { ERROR_CODES } from "../../web/src/texts/errors.js";
import {
  bestLanguage,
  loadTexts,
  PAGE_LANGUAGES,
  type PageLanguage,
  type Texts,
} from "../../web/src/texts/languages.js";
import { Translator } from "../../web/src/texts/translator.js";
import type { Plural, TextKey } from "../../web/src/texts/types.js";
import { projectRoot } from "../cli/run-cli.js";

const TEXTS = Object.fromEntries(
  await Promise.all(PAGE_LANGUAGES.map(async (language) => [language, await loadTexts(language)] as const)),
) as Record<PageLanguage, Texts>;
const translations = PAGE_LANGUAGES.filter((language) => language !== "en");
const keys = Object.keys(TEXTS.en) as TextKey[];
const formsOf = (text: string | Plural): string[] => (typeof text === "string" ? [text] : Object.values(text));
const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();

describe.each(translations)("the texts in %s", (language) => {
  const texts = TEXTS[language];

  it("are those of the English table, with its placeholders", () => {
    expect(Object.keys(texts).filter((key) => key !== "errors")).toEqual(keys);
    for (const key of keys) {
      const [expected] = formsOf(TEXTS.en[key]);
      for (const form of formsOf(texts[key])) {
        expect(form.trim(), key).not.toBe("");
        expect(placeholders(form), key).toEqual(placeholders(expected!));
      }
    }
  });

  it("have the plural forms that the language needs", () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const key of keys) {
      const text = texts[key];
      if (typeof text !== "string") expect("one" in text, key).toBe(categories.includes("one"));
    }
  });

  it("name every error, as a sentence", () => {
    expect(Object.keys(texts.errors ?? {})).toEqual([...ERROR_CODES]);
    for (const message of Object.values(texts.errors ?? {})) expect(message).toMatch(/[.。]$/);
  });

  it("are not English", () => {
    // words that the languages share, names and symbols
    const shared = new Set(keys.filter((key) => formsOf(texts[key]).join() === formsOf(TEXTS.en[key]).join()));
    expect(shared.size).toBeLessThan(12);
  });
});

describe("a translator", () => {
  const t = Object.fromEntries(PAGE_LANGUAGES.map((language) => [language, new Translator(language, TEXTS[language])]));

  it("chooses the plural form, and formats numbers, shares, days and lists", () => {
    expect(t.de!.text("documents", { count: 1 })).toBe("1 Dokument");
    expect(t.de!.text("documents", { count: 12345 })).toBe("12.345 Dokumente");
    expect(t.fr!.text("answersFound", { count: 0 })).toBe("0 réponse");
    expect(t.zh!.text("answersFound", { count: 1 })).toBe("1 个答案");
    expect(t.en!.percent(0.42)).toBe("42%");
    expect(t.de!.percent(0.42)).toMatch(/^42\s%$/);
    expect(t.de!.day("2026-11-03")).toBe("03.11.2026");
    expect(t.de!.day("someday")).toBe("someday");
    expect(t.es!.list(["a", "b"], "disjunction")).toBe("a o b");
  });

  it("inserts values as they are, braces and all", () => {
    expect(t.en!.text("searchedFor", { words: "{words} $& <b>" })).toBe("Searched for: {words} $& <b>");
  });

  it("shows errors by their code, else in the server's words", () => {
    const busy = new RequestError("The server is busy.", 429, { code: "too-busy" });
    expect(t.en!.error(busy, "tryAgain")).toBe("The server is busy.");
    expect(t.de!.error(busy, "tryAgain")).toMatch(/^Der Server ist ausgelastet\./);
    const other = new RequestError("topK: too large", 400, { code: "invalid-argument" });
    expect(t.de!.error(other, "tryAgain")).toBe("topK: too large");
    expect(t.en!.error(new RequestError("", 0, { code: "unreachable" }), "tryAgain")).toMatch(/cannot be reached/);
    expect(t.zh!.error(new RequestError("", 502), "tryAgain")).toBe("服务器拒绝了请求。");
    expect(t.fr!.error(new TypeError("x is undefined"), "tryAgain")).toBe("Une erreur s’est produite. Réessayez.");
    expect(t.de!.problem("toString", "odd")).toBe("odd");
  });

  it("words what restricts a question", () => {
    const restriction = { phrases: ["red barn", "hill"], excluded: ["pump"] };
    expect(restrictionLabel(restriction, t.en!)).toBe("Only passages with “red barn” and “hill” and without “pump”.");
    expect(restrictionLabel({ ...restriction, missing: [] }, t.de!)).toMatch(
      /^Es gibt keine Textstelle mit „red barn“ und „hill“ und ohne „pump“\./,
    );
    expect(restrictionLabel({ ...restriction, missing: ["hill"] }, t.zh!)).toMatch(/^没有段落含有“hill”。/);
  });
});

it("a visitor gets the first of the browser's languages that the page has", () => {
  expect(bestLanguage(["de-AT", "en"])).toBe("de");
  expect(bestLanguage(["pl", "zh-Hant-TW"])).toBe("zh");
  expect(bestLanguage(["PT-br"])).toBe("en");
  expect(bestLanguage([])).toBe("en");
});

/** Attributes that a visitor sees or hears. */
const VISIBLE = new Set(["title", "aria-label", "placeholder", "alt", "label", "content"]);
/** Names and keys that are the same in every language. */
const NAMES = new Set(["API", "Enter", "Esc", "Verbatim"]);

/** Literal texts that a component shows: text between tags, visible attributes, and sentences in quotes. */
function literalTexts(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const add = (text: string): void => {
    if (/\p{L}/u.test(text) && !NAMES.has(text.trim())) found.push(text.trim());
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) add(node.text);
    if (ts.isJsxAttribute(node) && VISIBLE.has(node.name.getText()) && node.initializer) {
      if (ts.isStringLiteral(node.initializer)) add(node.initializer.text);
    } else if (ts.isStringLiteralLike(node) && /^\p{Lu}[\p{L}'-]*(?: [\p{L}'-]+)+[.?!…]?$/u.test(node.text)) {
      if (node.text !== "Plain text" && !isClass(node)) add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const isClass = (node: ts.Node): boolean =>
  node.parent !== undefined && ts.isJsxAttribute(node.parent) && node.parent.name.getText() === "class";

it("no component has a text of its own", () => {
  const folder = join(projectRoot, "web", "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/^texts\b.*\.ts$/.test(name))
    .map((name) => join(folder, name));
  expect(files.length).toBeGreaterThan(25);
  expect(files.flatMap((path) => literalTexts(path).map((text) => `${path}: ${text}`))).toEqual([]);
});
