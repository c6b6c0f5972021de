import { VerbatimError } from "../errors.js";

/** A gold answer of CuratedTREC, a regular expression that is matched in two ways. Report both. */
export interface AnswerPattern {
  /** The rule of the data set: matches anywhere in the prediction. */
  matchesAnywhere(prediction: string): boolean;
  /** DrQA's script (Python's `re.match`): matches from the first character. */
  matchesStart(prediction: string): boolean;
}

/**
 * Compiles an expression in Python's syntax as DrQA does (IGNORECASE, UNICODE, MULTILINE). Python's
 * `\w`, `\d`, `\s` and `\b` cover all scripts and are translated, as are escapes and braces that
 * JavaScript's strict syntax refuses, `\A`, `\Z`, `(?P<name>…)`, `(?P=name)`, `(?#…)` and leading
 * `(?i)` flags.
 * @throws VerbatimError `invalid-argument` for an expression that does not compile
 */
export function answerPattern(source: string, where?: string): AnswerPattern {
  try {
    const translated = translate(source);
    const anywhere = new RegExp(translated, "ivm");
    const start = new RegExp(translated, "ivmy");
    return {
      matchesAnywhere: (prediction) => anywhere.test(prediction),
      matchesStart: (prediction) => {
        start.lastIndex = 0;
        return start.test(prediction);
      },
    };
  } catch (cause) {
    throw new VerbatimError(
      "invalid-argument",
      `The answer pattern ${JSON.stringify(source)} is not a valid expression.`,
      {
        found: source,
        where,
        cause,
        hint: cause instanceof Error ? `Correct it: ${cause.message}` : undefined,
      },
    );
  }
}

const WORD = "\\p{L}\\p{N}_";
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** Character classes for use inside a bracket (with the v flag classes can be nested). */
const CLASSES: Record<string, string> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
};
const ASSERTIONS: Record<string, string> = {
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
  A: "(?<![\\s\\S])",
  Z: "(?![\\s\\S])",
};
const CONTROLS: Record<string, string> = { n: "\\n", r: "\\r", t: "\\t", f: "\\f", v: "\\v", a: "\\x07" };
const QUANTIFIER = /^\{(?:\d+(?:,\d*)?|,\d+)\}/;
const CODE = /^(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})/;

/** Translates Python's syntax to JavaScript's with the `v` flag. */
function translate(source: string): string {
  let pattern = source.replace(/^\(\?[aiLmsux]+\)/, "");
  let result = "";
  while (pattern !== "") {
    const [translated, length] = translatePart(pattern);
    result += translated;
    pattern = pattern.slice(length);
  }
  return result;
}

/** The first part of a pattern and its length in units. */
function translatePart(pattern: string): [string, number] {
  const first = String.fromCodePoint(pattern.codePointAt(0)!);
  if (first === "\\") return translateEscape(pattern, ASSERTIONS);
  if (first === "[") return translateSet(pattern);
  if (first === "(") {
    if (pattern.startsWith("(?P<")) return ["(?<", 4];
    const back = /^\(\?P=(\w+)\)/.exec(pattern);
    if (back) return [`\\k<${back[1]}>`, back[0].length];
    const comment = /^\(\?#[^)]*\)/.exec(pattern);
    return comment ? ["", comment[0].length] : ["(", 1];
  }
  if (first === "{") {
    const quantifier = QUANTIFIER.exec(pattern)?.[0];
    return quantifier ? [quantifier.replace("{,", "{0,"), quantifier.length] : ["\\{", 1];
  }
  return first === "]" || first === "}" || first === "/" ? [`\\${first}`, 1] : [first, first.length];
}

function translateEscape(pattern: string, assertions: Record<string, string>): [string, number] {
  const after = pattern.slice(1);
  if (after === "") throw new SyntaxError("it ends with a single backslash");
  const code = CODE.exec(after)?.[0];
  if (code !== undefined) return [`\\${code}`, 1 + code.length];
  const digits = /^[1-9]\d?/.exec(after)?.[0];
  if (digits !== undefined) return [`(?:\\${digits})`, 1 + digits.length];
  const character = String.fromCodePoint(after.codePointAt(0)!);
  const known = assertions[character] ?? CLASSES[character] ?? CONTROLS[character];
  if (known !== undefined) return [known, 2];
  if (/[a-zA-Z0-9]/.test(character)) throw new SyntaxError(`the escape \\${character} is not known`);
  return [literal(character), 1 + character.length];
}

/**
 * A bracket expression; in Python "]" at its start is a member, and nothing inside but "\\", "-",
 * "^", "]" is special.
 */
function translateSet(pattern: string): [string, number] {
  let result = "[";
  let i = 1;
  if (pattern[i] === "^") {
    result += "^";
    i++;
  }
  for (let first = true; i < pattern.length; first = false) {
    const character = String.fromCodePoint(pattern.codePointAt(i)!);
    if (character === "]" && !first) return [`${result}]`, i + 1];
    if (character === "\\") {
      const [translated, length] = translateEscape(pattern.slice(i), { b: "\\x08" });
      result += translated;
      i += length;
    } else {
      const range = character === "-" && !first && pattern[i + 1] !== "]";
      result += range ? "-" : literal(character);
      i += character.length;
    }
  }
  throw new SyntaxError("a bracket is not closed");
}

/** Escapes a literal character, inside and outside brackets. */
function literal(character: string): string {
  if (/^[\p{L}\p{N}_]$/u.test(character)) return character;
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
