import { describe, expect, it } from "vitest";
import { askable, textDocument } from "../../../test/support/ask.js";
import type { Searcher } from "../searcher.js";
import { passagesThatMayHave } from "./phrase-postings.js";
import { RestrictionMatcher } from "./restriction-matcher.js";

/** Whether a passage with the text is among those that may have the phrase; undefined if postings do not say. */
async function mayHave(text: string, phrase: string): Promise<boolean | undefined> {
  const { searcher } = await askable([textDocument("text", text), textDocument("other", "The barn is green.")]);
  const passages = await passagesThatMayHave(searcher, phrase, undefined);
  return passages === undefined ? undefined : passages.includes(0);
}

/** The number of buckets that a phrase looks up. */
async function lookedUp(phrase: string): Promise<number> {
  let count = 0;
  const units = new Uint32Array(0);
  const tfidf = async (buckets: readonly number[]) => {
    count += buckets.length;
    return buckets.map(() => ({ passage: { units } }));
  };
  await passagesThatMayHave({ postings: { tfidf } } as unknown as Searcher, phrase, undefined);
  return count;
}

describe("passagesThatMayHave", () => {
  it.each([
    ["The Acme™ pump is loud.", "Acme™ pump"],
    ["The AcmeTM pump is loud.", "Acme™ pump"],
    ["Keep the water at 20 ℃ or less.", "20 ℃"],
    ["Keep the water at 20 °C or less.", "20 ℃"],
    ["Keep the water at 20 ℃ water.", "20 ℃ water"],
    ["Add 1½ cups of flour.", "1½ cups"],
    ["Add 1½ cups of flour.", "11⁄2 cups"],
    ["It is in № 5 of the list.", "№ 5"],
    ["It is in №5 of the list.", "№5"],
    ["It is in No5 of the list.", "№5"],
    ["A ㎏ of salt per barrel.", "㎏ of salt"],
    ["Here lives Oʼneill the elder.", "Oʼneill the elder"],
    ["Here lives O'Neill the elder.", "Oʼneill the elder"],
    ["Here lives Oʼneill the elder.", "O’Neill the elder"],
    ["Here lives Oʼneill.", "O'Neill"],
    ["The dogsʼ kennel is red.", "dogsʼ kennel"],
    ["The dogs' kennel is red.", "dogsʼ kennel"],
    ["Дня пʼять разів на день.", "п'ять разів"],
    ["ดื่มน้ำสะอาดทุกวัน", "น้ำสะอาด"],
    ["The ﬁnal news of the Café.".normalize("NFD"), "final news of the café"],
    ["Full-width ＰＤＦ files.", "PDF files"],
  ])("in %j finds %j", async (text, phrase) => {
    expect(new RestrictionMatcher({ phrases: [phrase], excluded: [] }).accepts(text)).toBe(true);
    expect(await mayHave(text, phrase)).not.toBe(false);
  });

  it.each(["Acme™ pump", "20 ℃", "1½ cups", "№ 5", "Oʼneill", "O'Neill"])(
    "narrows the search for %j by what is known",
    async (phrase) => {
      expect(await mayHave("A text about something else.", phrase)).toBe(false);
    },
  );

  it("looks up at most some hundred buckets, however long the words and however many hyphens", async () => {
    const long = Array.from({ length: 640 }, () => "ab").join("-");
    const phrases = [long, `the ${long} pump`, "x".repeat(5000), "pneumonoultramicroscopic ".repeat(50)];
    for (const phrase of phrases) expect(await lookedUp(phrase)).toBeLessThanOrEqual(400);
    expect(await lookedUp(`the ${long} pump`)).toBeGreaterThan(0);
    expect(await mayHave(`A word such as ${long} is rare.`, long)).not.toBe(false);
  });
});
