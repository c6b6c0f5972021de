/** The texts of the form without scripts. Those of the page are in web/src/texts, which the server does not load. */

const EN = {
  question: "Question",
  askYourDocuments: "Ask your documents",
  ask: "Ask",
  token: "Token",
  noAnswer: "No answer was found.",
  nearestPassages: "The closest passages",
  lessLikely: (count: number) => (count === 1 ? "1 less likely answer" : `${count} less likely answers`),
  searchedFor: "Searched for:",
  or: "or",
  quoted: (words: string) => `“${words}”`,
  page: (page: number | string) => `, page ${page}`,
};

export type PlainTexts = typeof EN;

const TEXTS = {
  en: EN,
  de: {
    question: "Frage",
    askYourDocuments: "Frag deine Dokumente",
    ask: "Fragen",
    token: "Token",
    noAnswer: "Es wurde keine Antwort gefunden.",
    nearestPassages: "Ähnlichste Textstellen",
    lessLikely: (count) =>
      count === 1 ? "1 weniger wahrscheinliche Antwort" : `${count} weniger wahrscheinliche Antworten`,
    searchedFor: "Gesucht wurde:",
    or: "oder",
    quoted: (words) => `„${words}“`,
    page: (page) => `, Seite ${page}`,
  },
  es: {
    question: "Pregunta",
    askYourDocuments: "Pregunta a tus documentos",
    ask: "Preguntar",
    token: "Token",
    noAnswer: "No se ha encontrado ninguna respuesta.",
    nearestPassages: "Pasajes más cercanos",
    lessLikely: (count) => (count === 1 ? "1 respuesta menos probable" : `${count} respuestas menos probables`),
    searchedFor: "Se ha buscado:",
    or: "o",
    quoted: (words) => `«${words}»`,
    page: (page) => `, página ${page}`,
  },
  fr: {
    question: "Question",
    askYourDocuments: "Interrogez vos documents",
    ask: "Demander",
    token: "Jeton",
    noAnswer: "Aucune réponse n’a été trouvée.",
    nearestPassages: "Passages les plus proches",
    lessLikely: (count) => (count === 1 ? "1 réponse moins probable" : `${count} réponses moins probables`),
    searchedFor: "Recherche effectuée :",
    or: "ou",
    quoted: (words) => `« ${words} »`,
    page: (page) => `, page ${page}`,
  },
  zh: {
    question: "问题",
    askYourDocuments: "向你的文档提问",
    ask: "提问",
    token: "令牌",
    noAnswer: "没有找到答案。",
    nearestPassages: "最接近的段落",
    lessLikely: (count) => `${count} 个可能性较低的答案`,
    searchedFor: "实际搜索：",
    or: "或",
    quoted: (words) => `“${words}”`,
    page: (page) => `，第 ${page} 页`,
  },
} as const satisfies Record<string, PlainTexts>;

type PlainLanguage = keyof typeof TEXTS;

export const plainTexts = (language: PlainLanguage): PlainTexts => TEXTS[language];

/** Tags of an Accept-Language header that are looked at. */
const MAX_TAGS = 20;

/** The language with texts that a request prefers: the largest `q`, ties in the order of the header. */
export function plainLanguage(acceptLanguage: string | undefined): PlainLanguage {
  let best: PlainLanguage = "en";
  let most = 0;
  for (const each of (acceptLanguage ?? "").split(",", MAX_TAGS)) {
    const [tag = "", ...parameters] = each.toLowerCase().split(";");
    const q = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    const primary = tag.trim().split("-", 1)[0]!;
    if (!Object.hasOwn(TEXTS, primary) || !(weight > most)) continue;
    best = primary as PlainLanguage;
    most = weight;
  }
  return best;
}
