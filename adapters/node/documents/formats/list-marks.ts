/** Marks before the items of lists, as a reader sees them: "•", "3.", "b)", "☑". */

/** An item of a list without numbers. */
export const BULLET = "•";

/** An item that can be ticked. */
export const checkBox = (isChecked: boolean): string => (isChecked ? "☑" : "☐");

export type NumberFormat =
  | "decimal"
  | "decimal-zero"
  | "lower-letter"
  | "upper-letter"
  | "lower-roman"
  | "upper-roman"
  | "chinese";

/** Formats by the first item that they write, as HTML, OpenDocument and LaTeX name them. */
export const FORMAT_BY_FIRST: ReadonlyMap<string, NumberFormat> = new Map([
  ["1", "decimal"],
  ["a", "lower-letter"],
  ["A", "upper-letter"],
  ["i", "lower-roman"],
  ["I", "upper-roman"],
]);

/** Larger numbers are not those of a list. */
const MAX_NUMBER = 1e9;

/** A number that a list may begin with; undefined for other values. */
export function firstNumberOf(value: string | undefined): number | undefined {
  const number = Number(value);
  return value !== undefined && Number.isInteger(number) && number >= 0 && number < MAX_NUMBER ? number : undefined;
}

/** Roman numerals end here; larger numbers are written with digits. */
const MAX_ROMAN = 3999;
const ROMAN: ReadonlyArray<readonly [number, string]> = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];
const CHINESE_DIGITS = "零一二三四五六七八九";
/** Chinese numerals of more than two digits are written with digits. */
const MAX_CHINESE = 99;
/** After "z" comes "aa", then "bb", as in word processors. */
const LETTERS = 26;
const MAX_LETTERS = 10 * LETTERS;

/** The number of an item. Numbers beyond its range are written with digits. */
export function numberText(number: number, format: NumberFormat): string {
  switch (format) {
    case "lower-letter":
    case "upper-letter": {
      if (number < 1 || number > MAX_LETTERS) return String(number);
      const letter = String.fromCharCode(97 + ((number - 1) % LETTERS)).repeat(Math.ceil(number / LETTERS));
      return format === "lower-letter" ? letter : letter.toUpperCase();
    }
    case "lower-roman":
    case "upper-roman": {
      if (number < 1 || number > MAX_ROMAN) return String(number);
      const numeral = romanOf(number);
      return format === "lower-roman" ? numeral : numeral.toUpperCase();
    }
    case "chinese":
      return number < 1 || number > MAX_CHINESE ? String(number) : chineseOf(number);
    case "decimal-zero":
      return String(number).padStart(2, "0");
    case "decimal":
      return String(number);
  }
}

function romanOf(number: number): string {
  let rest = number;
  let numeral = "";
  for (const [value, letters] of ROMAN) {
    for (; rest >= value; rest -= value) numeral += letters;
  }
  return numeral;
}

/** 7 as "七", 10 as "十", 12 as "十二", 20 as "二十". */
function chineseOf(number: number): string {
  const [tens, ones] = [Math.floor(number / 10), number % 10];
  if (tens === 0) return CHINESE_DIGITS[ones]!;
  return `${tens === 1 ? "" : CHINESE_DIGITS[tens]}十${ones === 0 ? "" : CHINESE_DIGITS[ones]}`;
}
