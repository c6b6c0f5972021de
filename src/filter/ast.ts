/**
 * The syntax tree of a filter such as `year >= 2020 and tag = "ops"`. docs/cli.md describes the
 * language.
 */

/** Numbers and texts are ordered; booleans can only be compared for equality. */
export type FilterValue = string | number | boolean;

export type CompareOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";

export type Filter =
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "exists"; field: string }
  | { kind: "compare"; field: string; operator: CompareOperator; value: FilterValue }
  | { kind: "in"; field: string; values: FilterValue[] }
  | { kind: "contains"; field: string; text: string };
