import { VerbatimError } from "../errors.js";

/** Validates the shape of JSON from files; every error names its position. */

export type JsonObject = Record<string, unknown>;

export function shapeError(where: string, expected: string, found: unknown): VerbatimError {
  return new VerbatimError("unreadable-document", `${where} is not ${expected}.`, {
    where,
    expected,
    found: brief(found),
  });
}

export function objectAt(value: unknown, where: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw shapeError(where, "an object", value);
}

export function arrayAt(value: unknown, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw shapeError(where, "a list", value);
}

export function stringAt(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw shapeError(where, "a string", value);
}

/** Ids are strings, but some files write numbers. */
export function idAt(value: unknown, where: string): string {
  if (typeof value === "number") return String(value);
  return stringAt(value, where);
}

/** @throws VerbatimError `unreadable-document` with the parser's message */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VerbatimError("unreadable-document", `${where} is not valid JSON: ${reason}.`, { where, cause });
  }
}

/** A value shortened for a message. */
function brief(value: unknown): unknown {
  if (typeof value === "string") return value.length > 80 ? `${value.slice(0, 80)}…` : value;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : value;
}
