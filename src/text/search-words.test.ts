import { describe, expect, it } from "vitest";
import { searchWords } from "./search-words.js";
import { hash2gram, hashWord, ngramCounts } from "./words.js";

const list = (text: string, options?: Parameters<typeof searchWords>[1]): string[] =>
  Array.from(searchWords(text, options), (word) => word.text);

describe("searchWords", () => {
  it("leaves English words as they are and drops stop words", () => {
    expect(list("Who founded the Old Observatory?")).toEqual(["founded", "old", "observatory"]);
    expect(list("the cat", { stopWords: true })).toEqual(["the", "cat"]);
  });

  it("pairs neighbouring characters of scripts without spaces", () => {
    expect(list("東京都は2020年")).toEqual(["東 京", "京 都", "都 は", "2020", "年"]);
    expect(list("서울은 큰 도시")).toEqual(["서 울", "울 은", "큰", "도 시"]);
    expect(list("车。马 PDF文件")).toEqual(["车", "马", "pdf", "文 件"]);
    expect(list("東京", { parts: true })).toEqual(["東", "東 京", "京"]);
    expect(list("東\n京 都")).toEqual(["東 京", "都"]);
  });

  it("pairs characters that are decomposed or have a variation selector", () => {
    expect(list("ｶﾞｲﾄﾞ")).toEqual(list("ガイド"));
    expect(list("서울".normalize("NFD"))).toEqual(["서 울"]);
    expect(list("葛\u{e0100}城")).toEqual(["葛 城"]);
  });

  it("uses the buckets that an index counts", () => {
    expect(Array.from(searchWords("東京 tower"))).toEqual([
      { text: "東 京", bucket: hash2gram("東", "京") },
      { text: "tower", bucket: hashWord("tower") },
    ]);
    const counted = ngramCounts("古い東京のtowerです。");
    for (const { bucket } of searchWords("東京 tower")) expect(counted.get(bucket)).toBe(1);
  });
});
