/** A filter as data: what `year >= 2020 and tag = "ops"` says. Types only. docs/cli.md describes the language. */

/** A number or a text can be ordered; a truth value only compared for being the same. */
export type FilterValue = string | number | boolean;

export type CompareOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";

export type Filter =
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "exists"; field: string }
  | { kind: "compare"; field: string; operator: CompareOperator; value: FilterValue }
  | { kind: "in"; field: string; values: FilterValue[] }
  | { kind: "contains"; field: string; text: string };
