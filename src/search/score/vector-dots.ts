import type { EncodedQuestion } from "../../encode/types.js";
import { prepareVector } from "../prepare.js";
import type { SearchSession } from "../session.js";

/** Largest magnitude of a stored vector's value. */
const LARGEST_VALUE = 128;

/** Inner products of the question's vector with those of all passages. */
export interface VectorDots {
  /** [passages] */
  dots: Int32Array;
  /** × a dot is the part of the score. */
  perStep: number;
  /** Largest magnitude of a dot. */
  largest: number;
}

/** A scan of all passage vectors; nothing if λ_v or the question's vector is 0. */
export async function readVectorDots(
  session: SearchSession,
  question: EncodedQuestion,
  signal: AbortSignal | undefined,
): Promise<{ vectors?: VectorDots }> {
  if (session.model.vector === 0 || session.model.weights.vector === 0) return {};
  const { values, perStep } = prepareVector(question, session.model);
  if (values.every((value) => value === 0)) return {}; // no network encoded the question
  const dots = await session.vectors.dots(values, signal);
  const magnitude = values.reduce((sum, value) => sum + Math.abs(value), 0);
  return { vectors: { dots, perStep, largest: LARGEST_VALUE * magnitude } };
}
