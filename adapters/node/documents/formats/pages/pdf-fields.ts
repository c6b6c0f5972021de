/**
 * What was filled in on a page of a PDF: values of its form, ticked boxes, and text that was typed on top of it.
 * Pure.
 */

import { oneLine } from "../../../../../src/text/one-line.js";
import { checkBox } from "../list-marks.js";
import type { PageLine, PagePiece } from "./page-lines.js";

/** An annotation as pdf.js gives it. */
export interface PdfAnnotation {
  subtype?: unknown;
  /** Left, bottom, right, top, in 1/72 inch. */
  rect?: unknown;
  hidden?: unknown;
  password?: unknown;
  /** "Tx": text; "Ch": choices; "Btn": a box or button. */
  fieldType?: unknown;
  fieldValue?: unknown;
  options?: unknown;
  checkBox?: unknown;
  exportValue?: unknown;
  radioButton?: unknown;
  buttonValue?: unknown;
  contentsObj?: unknown;
}

/** A rectangle of a page with what was filled in. */
export interface FilledField {
  /** At least one. */
  lines: readonly string[];
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** No page that anyone fills in has more; further ones are left out. */
const MAX_FIELDS = 5000;
/** Size of letters of a field, in 1/72 inch: forms do not always say it. */
const SIZE = 12;

/** The fields of a page that have a value, from top to bottom and left to right. Passwords and notes are left out. */
export function filledFields(annotations: readonly PdfAnnotation[]): FilledField[] {
  const fields: FilledField[] = [];
  for (const annotation of annotations) {
    const { rect } = annotation;
    if (annotation.hidden === true || !Array.isArray(rect) || !rect.every((side) => Number.isFinite(side))) continue;
    const lines = filledIn(annotation)
      .split(/\r\n|\r|\n/)
      .map(oneLine)
      .filter((line) => line !== "");
    const [left, bottom, right, top] = rect as [number, number, number, number];
    if (lines.length > 0 && fields.length < MAX_FIELDS) fields.push({ lines, left, bottom, right, top });
  }
  return fields.sort((a, b) => b.top - a.top || a.left - b.left);
}

function filledIn(annotation: PdfAnnotation): string {
  const { subtype, fieldType, fieldValue } = annotation;
  if (subtype === "FreeText") return textOf((annotation.contentsObj as { str?: unknown } | undefined)?.str);
  if (subtype !== "Widget" || annotation.password === true) return "";
  if (fieldType === "Tx") return textOf(fieldValue);
  if (fieldType === "Ch") return chosen(annotation).join(", ");
  if (fieldType !== "Btn") return "";
  if (annotation.checkBox === true) return checkBox(isOn(fieldValue, annotation.exportValue));
  return annotation.radioButton === true ? checkBox(isOn(fieldValue, annotation.buttonValue)) : "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isOn(value: unknown, own: unknown): boolean {
  return typeof value === "string" && value !== "Off" && value === own;
}

/** Choices as the form shows them. */
function chosen({ fieldValue, options }: PdfAnnotation): string[] {
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const known = (Array.isArray(options) ? options : []) as { exportValue?: unknown; displayValue?: unknown }[];
  return values.map((value) => textOf(known.find((one) => one?.exportValue === value)?.displayValue ?? value));
}

/**
 * The lines of a page with its fields: a value is part of the line that it is next to, which names it; without such a
 * line, it is a line of its own below the nearest one above.
 */
export function withFilledFields(lines: readonly PageLine[], fields: readonly FilledField[]): PageLine[] {
  const all = [...lines];
  for (const field of fields) {
    const [first, ...more] = field.lines as [string, ...string[]];
    let at = lineBeside(all, field);
    const y = at < 0 ? baselineOf(field) : all[at]!.y;
    if (at >= 0) all[at] = withValue(all[at]!, piece(first, field));
    else {
      at = lineAbove(all, field) + 1;
      all.splice(at, 0, newLine(first, field, y));
    }
    const below = more.map((text, i) => newLine(text, field, y - (i + 1) * SIZE));
    all.splice(at + 1, 0, ...below);
  }
  return all;
}

/** Index of the nearest line whose baseline is inside the field; −1 if there is none. */
function lineBeside(lines: readonly PageLine[], { left, bottom, right, top }: FilledField): number {
  let nearest = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, line] of lines.entries()) {
    // The words of a recognised line have places of their own.
    if (line.y < bottom - 1 || line.y > top || line.words !== undefined) continue;
    const distance = Math.max(0, line.left - right, left - line.right);
    if (distance > least || (distance === least && line.y <= lines[nearest]!.y)) continue;
    nearest = i;
    least = distance;
  }
  return nearest;
}

/** Index of the lowest line above the field; −1 if there is none. */
function lineAbove(lines: readonly PageLine[], field: FilledField): number {
  let lowest = -1;
  for (const [i, { y }] of lines.entries()) {
    if (y >= baselineOf(field) && (lowest < 0 || y <= lines[lowest]!.y)) lowest = i;
  }
  return lowest;
}

function baselineOf({ lines, bottom, top }: FilledField): number {
  return lines.length === 1 ? bottom + (top - bottom) / 4 : top - Math.min(SIZE, top - bottom);
}

function piece(text: string, { left, right }: FilledField): PagePiece {
  return { text, left, right: Math.min(right, left + (text.length * SIZE) / 2) };
}

function newLine(text: string, field: FilledField, y: number): PageLine {
  const { left, right } = piece(text, field);
  return { text, left, right, y, height: 0, font: "" };
}

/** A line with a value before the first of its pieces that is further to the right. */
function withValue(line: PageLine, value: PagePiece): PageLine {
  const pieces = line.pieces ?? [{ text: line.text, left: line.left, right: line.right }];
  const next = pieces.findIndex(({ left }) => left > value.left);
  let at = next < 0 ? line.text.length : 0;
  for (const [i, { text }] of pieces.slice(0, Math.max(0, next) + 1).entries()) {
    const found = line.text.indexOf(oneLine(text), at);
    if (next >= 0 && found >= 0) at = i === next ? found : found + oneLine(text).length;
  }
  return {
    ...line,
    text: oneLine(`${line.text.slice(0, at)} ${value.text} ${line.text.slice(at)}`),
    left: Math.min(line.left, value.left),
    right: Math.max(line.right, value.right),
    font: "",
    pieces: next < 0 ? [...pieces, value] : pieces.toSpliced(next, 0, value),
  };
}
