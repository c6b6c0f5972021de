/**
 * Parses a filter by recursive descent:
 *
 *     or      = and { "or" and }
 *     and     = not { "and" not }
 *     not     = "not" not | "(" or ")" | "exists" FIELD | FIELD test
 *     test    = ( = | != | < | <= | > | >= ) value | "in" "(" value { "," value } ")" | "contains" text
 *     value   = number | text in quotes | true | false
 */

import type { Filter, FilterValue } from "./ast.js";
import { FilterSyntaxError } from "./syntax-error.js";
import { type FilterToken, tokenize } from "./tokenize.js";

/** Maximum length of a filter in UTF-16 units. */
const MAX_FILTER_LENGTH = 100_000;
/** Maximum nesting of parentheses and nots, which protects the stack. */
const MAX_DEPTH = 200;

/** @throws FilterSyntaxError (`invalid-argument`) with the position of the error and a hint */
export function parseFilter(filter: string): Filter {
  if (filter.length > MAX_FILTER_LENGTH) {
    const problem = `it is longer than ${MAX_FILTER_LENGTH} characters`;
    throw new FilterSyntaxError(problem, { filter, position: MAX_FILTER_LENGTH, hint: "Shorten the filter." });
  }
  return new Parser(filter).whole();
}

class Parser {
  readonly #filter: string;
  readonly #tokens: FilterToken[];
  #at = 0;
  #depth = 0;

  constructor(filter: string) {
    this.#filter = filter;
    this.#tokens = tokenize(filter);
  }

  whole(): Filter {
    if (this.#next().kind === "end") {
      throw this.#mistake("it is empty", 'Write FIELD OPERATOR VALUE, as in year >= 2020 or tag = "ops".');
    }
    const filter = this.#chain("or");
    const { kind } = this.#next();
    if (kind === ")") throw this.#mistake("unmatched )", "Remove it, or add a ( before it.");
    if (kind !== "end")
      throw this.#mistake(`${this.#found()} is not expected after a test`, "Join tests with and or or.");
    return filter;
  }

  #chain(kind: "and" | "or"): Filter {
    const part = (): Filter => (kind === "or" ? this.#chain("and") : this.#not());
    const parts = [part()];
    while (this.#takeWord(kind)) parts.push(part());
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }

  #not(): Filter {
    if (++this.#depth > MAX_DEPTH) throw this.#mistake("it is nested too deeply", "Use fewer parentheses.");
    const filter = this.#takeWord("not") ? ({ kind: "not", part: this.#not() } as const) : this.#primary();
    this.#depth--;
    return filter;
  }

  #primary(): Filter {
    if (this.#next().kind === "(") {
      this.#at++;
      const filter = this.#chain("or");
      this.#expect(")", "a parenthesis is not closed", "Close it with ).");
      return filter;
    }
    if (this.#takeWord("exists")) return { kind: "exists", field: this.#field() };
    return this.#test(this.#field());
  }

  #field(): string {
    const token = this.#next();
    if (token.kind === "field") {
      this.#at++;
      return token.name;
    }
    if (token.kind === "keyword" && this.#isTest(this.#tokens[this.#at + 1])) {
      const word = this.#filter.slice(token.start, token.end);
      throw this.#mistake(`${word} is a reserved word`, `If it is a field name, write [${word}].`);
    }
    const hint = 'Write FIELD OPERATOR VALUE, the field first, as in year >= 2020 or tag = "ops".';
    throw this.#mistake(`expected a field name, not ${this.#found()}`, hint);
  }

  #isTest(token: FilterToken | undefined): boolean {
    return token?.kind === "operator" || (token?.kind === "keyword" && ["in", "contains"].includes(token.word));
  }

  #test(field: string): Filter {
    const token = this.#next();
    if (token.kind === "operator") {
      this.#at++;
      const at = this.#next();
      const value = this.#value(`after ${token.operator}`);
      if (typeof value === "boolean" && token.operator !== "=" && token.operator !== "!=") {
        throw this.#mistake("true and false cannot be ordered", "Compare them with = or !=.", at);
      }
      return { kind: "compare", field, operator: token.operator, value };
    }
    if (this.#takeWord("in")) return { kind: "in", field, values: this.#values() };
    if (this.#takeWord("contains")) {
      const at = this.#next();
      const text = this.#value("after contains");
      if (typeof text === "string") return { kind: "contains", field, text };
      throw this.#mistake("contains needs a text", `Put it in quotes: "${String(text)}".`, at);
    }
    const hint = `Write one of = != < <= > >= in contains after the field, or exists ${field} before it.`;
    throw this.#mistake(`expected a test after the field ${field}, not ${this.#found()}`, hint);
  }

  #values(): FilterValue[] {
    this.#expect("(", "in needs a list", 'Write it in brackets: tag in ("ops", "net").');
    const values = [this.#value("in the list")];
    while (this.#next().kind === ",") {
      this.#at++;
      values.push(this.#value("after the comma"));
    }
    this.#expect(")", "the list is not closed", "Separate values with commas and close the list with ).");
    return values;
  }

  #value(where: string): FilterValue {
    const token = this.#next();
    if (token.kind === "value") {
      this.#at++;
      return token.value;
    }
    if (this.#takeWord("true")) return true;
    if (this.#takeWord("false")) return false;
    const word = this.#filter.slice(token.start, token.end);
    const hint =
      token.kind === "field" ? `Put texts in quotes: "${word}".` : "Give a number, a text in quotes, true or false.";
    throw this.#mistake(`expected a value ${where}, not ${this.#found()}`, hint);
  }

  #next(): FilterToken {
    return this.#tokens[this.#at]!;
  }

  #takeWord(word: string): boolean {
    const token = this.#next();
    if (token.kind !== "keyword" || token.word !== word) return false;
    this.#at++;
    return true;
  }

  #expect(kind: "(" | ")", problem: string, hint: string): void {
    if (this.#next().kind !== kind) throw this.#mistake(problem, hint);
    this.#at++;
  }

  /** Describes the current token, for a message. */
  #found(): string {
    const { kind, start, end } = this.#next();
    if (kind === "end") return "the end";
    const text = this.#filter.slice(start, end);
    return text.length > 40 ? `${text.slice(0, 40)}…` : text;
  }

  #mistake(problem: string, hint: string, at: FilterToken = this.#next()): FilterSyntaxError {
    return new FilterSyntaxError(problem, { filter: this.#filter, position: at.start, hint });
  }
}
