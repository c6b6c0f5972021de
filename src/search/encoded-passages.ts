/**
 * Passages without stored rows, encoded when a question needs them, with a cache. The same network and the same steps
 * give, to the bit, what an index of level `full` would have stored.
 */

import { passageInput, titleTokens, tokenisePassage } from "../encode/input.js";
import type { EncodedPassage, Encoder, PassageInput } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { SegmentReader } from "../index/types.js";
import { Lru } from "./lru.js";

/** Bytes of cached passages: about two thousand of them. */
const CACHED_BYTES = 64 * 1024 * 1024;

/** Where a passage's text is, and its document's title. */
export interface PassagePlace {
  segment: SegmentReader;
  passage: number;
  title: string;
}

export class EncodedPassages {
  readonly #encoder: Pick<Encoder, "info" | "tokenizer"> & Partial<Pick<Encoder, "encodePassages">>;
  readonly #cache: Lru<string, EncodedPassage>;
  /** A number per segment file set: a passage is encoded once for all versions of the index that share it. */
  readonly #numbers: WeakMap<object, number>;
  readonly #next: { number: number };

  /** @param before  the cache of another version, to share */
  constructor(
    encoder: Pick<Encoder, "info" | "tokenizer"> & Partial<Pick<Encoder, "encodePassages">>,
    before?: EncodedPassages,
  ) {
    this.#encoder = encoder;
    this.#cache = before === undefined ? new Lru(CACHED_BYTES, bytesOf) : before.#cache;
    this.#numbers = before === undefined ? new WeakMap() : before.#numbers;
    this.#next = before === undefined ? { number: 0 } : before.#next;
  }

  /** The cached passage, if there is one. */
  known({ segment, passage }: Omit<PassagePlace, "title">): EncodedPassage | undefined {
    return this.#cache.get(this.#key(segment, passage));
  }

  /**
   * Encodes passages one per call, so that they are spread over the encoder's threads.
   * @throws VerbatimError `invalid-argument` without an encoder, `aborted`, and what it throws
   */
  async encode(places: readonly PassagePlace[], signal: AbortSignal | undefined): Promise<EncodedPassage[]> {
    const { encodePassages } = this.#encoder;
    if (encodePassages === undefined) {
      throw new VerbatimError(
        "invalid-argument",
        "The index has passages that must be encoded to be scored, and there is no encoder.",
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

  /** The passage's tokens, as the encoder sees them. */
  async input({ segment, passage, title }: PassagePlace, signal: AbortSignal | undefined): Promise<PassageInput> {
    const { tokenizer, info } = this.#encoder;
    const { document, start, end } = segment.passage(passage);
    const text = await segment.readText(document, start, end, signal);
    const span = { start: 0, end: text.length };
    return passageInput(tokenizer, titleTokens(tokenizer, title, info), {
      passage: tokenisePassage(tokenizer, text, span),
    });
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
