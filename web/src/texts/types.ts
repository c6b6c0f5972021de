/** The types that every language's table has. */

import type { en } from "./en.js";
import type { ErrorCode } from "./errors.js";

export type TextKey = keyof typeof en;

/** Forms of a text by the plural category of `count`; "other" where a category has none. */
export interface Plural {
  one?: string;
  other: string;
}

/** A table with every text of the English one, in the same form, and the errors by code. */
export type Translation = {
  readonly [Key in TextKey]: (typeof en)[Key] extends string ? string : Plural;
} & { readonly errors: Readonly<Record<ErrorCode, string>> };

/** The names in braces. */
type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The names of the placeholders of a text. */
export type Placeholder<Key extends TextKey> = (typeof en)[Key] extends { other: infer Other }
  ? NamesIn<Other>
  : NamesIn<(typeof en)[Key]>;
