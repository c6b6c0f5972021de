/**
 * Passages whose rows are not stored, encoded when a question comes to them, and the last ones kept: with the same network and the same steps they are, to the bit,
 * what an index of level `full` would have stored.
 */

import { passageInput, titleTokens, tokenisePassage } from "../encode/input.js";
import type { EncodedPassage, Encoder, PassageInput } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { SegmentReader } from "../index/types.js";
import { Lru } from "./lru.js";

/** Bytes of encoded passages that are kept: some two thousand. */
const CACHED_BYTES = 64 * 1024 * 1024;

/** What a cache needs to find a passage's text and title. */
export interface PassagePlace {
  segment: SegmentReader;
  passage: number;
  title: string;
}

export class EncodedPassages {
  readonly #encoder: Pick<Encoder, "info" | "tokenizer"> & Partial<Pick<Encoder, "encodePassages">>;
  readonly #cache: Lru<string, EncodedPassage>;
  /** A number for the files of each segment: whatever versions of the index have them, a passage is encoded once. */
  readonly #numbers: WeakMap<object, number>;
  readonly #next: { number: number };

  /** @param before  of another version: what it has encoded is shared */
  constructor(
    encoder: Pick<Encoder, "info" | "tokenizer"> & Partial<Pick<Encoder, "encodePassages">>,
    before?: EncodedPassages,
  ) {
    this.#encoder = encoder;
    this.#cache = before === undefined ? new Lru(CACHED_BYTES, bytesOf) : before.#cache;
    this.#numbers = before === undefined ? new WeakMap() : before.#numbers;
    this.#next = before === undefined ? { number: 0 } : before.#next;
  }

  /** In memory already. */
  known({ segment, passage }: Omit<PassagePlace, "title">): EncodedPassage | undefined {
    return this.#cache.get(this.#key(segment, passage));
  }

  /**
   * Encoded now, each by itself, so that they are spread over the encoder's threads.
   * @throws VerbatimError `invalid-argument` without an encoder, `aborted`, and what it throws
   */
  async encode(places: readonly PassagePlace[], signal: AbortSignal | undefined): Promise<EncodedPassage[]> {
    const { encodePassages } = this.#encoder;
    if (encodePassages === undefined) {
      throw new VerbatimError(
        "invalid-argument",
        "The index has passages that are encoded when asked for, and no encoder is there.",
        {
          hint: "Raise the index: verbatim upgrade --level full",
        },
      );
    }
    return Promise.all(
      places.map(async (place) => {
        const input = await this.input(place, signal);
        const [encoded] = await encodePassages.call(this.#encoder, [input], { signal });
        this.#cache.set(this.#key(place.segment, place.passage), encoded!);
        return encoded!;
      }),
    );
  }

  /** The passage's tokens as they were, or would have been, encoded. */
  async input({ segment, passage, title }: PassagePlace, signal: AbortSignal | undefined): Promise<PassageInput> {
    const { tokenizer, info } = this.#encoder;
    const { document, start, end } = segment.passage(passage);
    const text = await segment.readText(document, start, end, signal);
    const span = { start: 0, end: text.length };
    return passageInput(tokenizer, titleTokens(tokenizer, title, info), {
      passage: tokenisePassage(tokenizer, text, span),
    });
  }

  clear(): void {
    this.#cache.clear();
  }

  #key({ files }: SegmentReader, passage: number): string {
    let number = this.#numbers.get(files);
    if (number === undefined) {
      number = this.#next.number++;
      this.#numbers.set(files, number);
    }
    return `${number}:${passage}`;
  }
}

/** Bytes of the typed arrays. */
function bytesOf(passage: EncodedPassage): number {
  let bytes = 0;
  const add = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) bytes += value.byteLength;
    else if (value !== null && typeof value === "object") for (const part of Object.values(value)) add(part);
  };
  add(passage);
  return bytes;
}
