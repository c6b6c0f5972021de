/**
 * Words of a text as NLTK's NLTKWordTokenizer (3.10) finds them, without its division into sentences
 * (`word_tokenize(text, preserve_line=True)`). CMRC's scorer applies it to what is not Chinese.
 */

const W = "\\p{L}\\p{N}_";
const STEPS: readonly (readonly [RegExp, string])[] = [
  // opening quotes
  [/([«“‘„]|`+)/gu, " $1 "],
  [/^"/g, "``"],
  [/(``)/g, " $1 "],
  [/([ ([{<])("|'{2})/g, "$1 `` "],
  [new RegExp(`(?<![${W}])(')(?!(?:re|ve|ll|m|t|s|d|n)(?![${W}]))(?=[${W}])`, "giu"), "$1 "],
  // punctuation
  [/([^.])(\.)([\])}>"'»”’ ]*)$/gu, "$1 $2 $3 "],
  [/([:,])([^\p{Nd}])/gu, " $1 $2"],
  [/([:,])$/g, " $1 "],
  [/\.{2,}/g, " $& "],
  [/[;@#$%&]/g, " $& "],
  [/[\u2012-\u2015]/g, " $& "],
  [/([^.])(\.)([\])}>"']*)\s*$/g, "$1 $2$3 "],
  [/[?!]/g, " $& "],
  [/([^'])' /g, "$1 ' "],
  [/\*/g, " $& "],
  [/[\][(){}<>]/g, " $& "],
  [/--/g, " -- "],
];
const CLOSING_QUOTES: readonly (readonly [RegExp, string])[] = [
  [/([»”’])/gu, " $1 "],
  [/''/g, " '' "],
  [/"/g, " '' "],
  [/\s+/gu, " "],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /g, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /g, "$1 $2 "],
];
const CONTRACTIONS = new RegExp(
  `(?<![${W}])(?:(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)('n)|(wan)(na)(?=\\s))(?![${W}])`,
  "giu",
);
const CONTRACTED_IT = new RegExp(` ('t)(is|was)(?![${W}])`, "giu");

export function treebankWords(text: string): string[] {
  let result = text.trimEnd(); // white space at the end separates no words
  for (const [pattern, replacement] of STEPS) result = result.replace(pattern, replacement);
  result = ` ${result} `;
  for (const [pattern, replacement] of CLOSING_QUOTES) result = result.replace(pattern, replacement);
  result = result.replace(CONTRACTIONS, (_, ...parts: (string | undefined)[]) => {
    const [first, second] = parts.slice(0, 16).filter((part) => part !== undefined);
    return ` ${first} ${second} `;
  });
  result = result.replace(CONTRACTED_IT, " $1 $2 ");
  return result.split(/\s+/u).filter((word) => word !== "");
}
