/**
 * Unigram's normalisation, a character sequence at a time: the longest rule of the model that matches,
 * else composed Hangul, else the character itself. The rules are in the model's vocabulary, so nothing depends
 * on the Unicode version of the JavaScript engine.
 */

import { Trie } from "../trie.js";

const LEADS = 0x1100;
const VOWELS = 0x1161;
const TAILS = 0x11a7;
const SYLLABLES = 0xac00;
const LEAD_COUNT = 19;
const VOWEL_COUNT = 21;
const TAIL_COUNT = 28;

/** Marks a unit that only `read` can normalise. */
const UNCOMMON = 0xffff_ffff;

export class UnigramNormalizer {
  /** What the last call of `read` returned: units of the text, and the text that they normalise to. */
  length = 0;
  result = "";

  readonly #rules: Trie;
  /** The text ahead, as far as a rule or a syllable reaches. */
  readonly #ahead: Uint16Array;
  readonly #targets: readonly string[];
  /** [0x10000] The one unit that a unit normalises to unless a follower comes next, or UNCOMMON. */
  readonly #single = Uint32Array.from({ length: 0x10000 }, (_, unit) => unit);
  /** [0x10000] 1 for units that a rule or a Hangul syllable may have after its first character. */
  readonly #follows = new Uint8Array(0x10000);

  constructor(rules: ReadonlyMap<string, string>) {
    const sources = [...rules.keys()];
    this.#rules = new Trie(sources);
    this.#targets = [...rules.values()];
    this.#ahead = new Uint16Array(sources.reduce((longest, { length }) => Math.max(longest, length), 3));
    for (const [source, target] of rules) {
      const first = source.charCodeAt(0);
      if (source.length === 1) this.#single[first] = target.length === 1 ? target.charCodeAt(0) : UNCOMMON;
      for (let i = 1; i < source.length; i++) this.#follows[source.charCodeAt(i)] = 1;
    }
    for (let unit = 0xd800; unit < 0xe000; unit++) this.#single[unit] = UNCOMMON;
    for (let unit = VOWELS; unit < TAILS + TAIL_COUNT; unit++) this.#follows[unit] = 1;
  }

  /** The unit that `unit` alone normalises to, given the unit after it; −1 if `read` has to decide. */
  single(unit: number, next: number): number {
    const result = this.#single[unit]!;
    return result === UNCOMMON || this.#follows[next] === 1 ? -1 : result;
  }

  /** Sets `length` and `result` for the characters at `at`, reading nothing from `end` on. */
  read(text: string, at: number, end: number): void {
    const ahead = this.#ahead;
    const count = Math.min(ahead.length, end - at);
    for (let i = 0; i < count; i++) ahead[i] = text.charCodeAt(at + i);
    const rule = this.#rules.longest(ahead, 0, count);
    if (rule >= 0) {
      this.length = this.#rules.matchEnd;
      this.result = this.#targets[rule]!;
      return;
    }
    const unit = ahead[0]!;
    const next = count > 1 ? ahead[1]! : 0;
    const pair = unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
    this.length = pair ? 2 : 1;
    this.result = pair ? String.fromCharCode(unit, next) : String.fromCharCode(unit);
    if (!pair) this.#composeHangul(count);
  }

  /** @param count  units in `#ahead` */
  #composeHangul(count: number): void {
    const ahead = this.#ahead;
    const unit = ahead[0]!;
    let syllable = unit;
    let length = 1;
    if (unit >= LEADS && unit < LEADS + LEAD_COUNT && count > 1) {
      const vowel = ahead[1]! - VOWELS;
      if (vowel >= 0 && vowel < VOWEL_COUNT) {
        syllable = SYLLABLES + ((unit - LEADS) * VOWEL_COUNT + vowel) * TAIL_COUNT;
        length = 2;
      }
    }
    const open = syllable >= SYLLABLES && syllable < 0xd7a4 && (syllable - SYLLABLES) % TAIL_COUNT === 0;
    if (open && length < count) {
      const tail = ahead[length]! - TAILS;
      if (tail > 0 && tail < TAIL_COUNT) {
        syllable += tail;
        length++;
      }
    }
    if (length === 1) return;
    this.length = length;
    this.result = String.fromCharCode(syllable);
  }
}
