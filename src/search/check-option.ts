/** Checks of option values, with one wording for every option. */

import { VerbatimError } from "../errors.js";

/** @throws VerbatimError `invalid-argument` if the value is not in the list */
export function checkOneOf<T extends string>(name: string, value: T, allowed: readonly T[]): void {
  if (allowed.includes(value)) return;
  throw new VerbatimError("invalid-argument", `${name} must be one of ${allowed.join(", ")}, not ${value}.`, {
    found: value,
    expected: allowed.join(", "),
    where: name,
    hint: `Set ${name} to one of these: ${allowed.join(", ")}.`,
  });
}

/** @throws VerbatimError `invalid-argument` unless the value is an integer from `min` to `max` */
export function checkInteger(name: string, value: number, range: { min: number; max?: number }): void {
  const { min, max } = range;
  if (Number.isInteger(value) && value >= min && value <= (max ?? 1e9)) return;
  const expected = max === undefined ? `an integer ≥ ${min}` : `an integer from ${min} to ${max}`;
  refuseOption(name, { expected, found: value });
}

/** @throws VerbatimError `invalid-argument`, always: "topK must be an integer from 1 to 10000, not 0." */
export function refuseOption(name: string, { expected, found }: { expected: string; found: unknown }): never {
  throw new VerbatimError("invalid-argument", `${name} must be ${expected}, not ${found}.`, {
    found,
    expected,
    where: name,
    hint: `Set ${name} to ${expected}.`,
  });
}
