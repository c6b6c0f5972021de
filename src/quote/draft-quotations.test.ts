/** Every quotation of a draft is found once, with the source named next to it. */

import { describe, expect, it } from "vitest";
import { quotationsIn } from "./draft-quotations.js";

const texts = (draft: string): string[] => quotationsIn(draft).quotations.map(({ text }) => text);
const sources = (draft: string): Array<string | undefined> =>
  quotationsIn(draft).quotations.map(({ attributedTo }) => attributedTo);

describe("quotationsIn", () => {
  it.each([
    ['He said "the tower fell" and left.', ["the tower fell"]],
    ["He said “the tower fell” and left.", ["the tower fell"]],
    ["Er sagte „der Turm fiel“ und ging.", ["der Turm fiel"]],
    ["Er sagte »der Turm fiel« und ging.", ["der Turm fiel"]],
    ["Il a dit « la tour » hier.", ["la tour"]],
    ["Hon sade ”tornet föll” och gick.", ["tornet föll"]],
    ["报告认为“这座桥由国王奥拉夫于1899年关闭”，这是错误的。", ["这座桥由国王奥拉夫于1899年关闭"]],
    ['他说"这座桥"很好，又说‘那座桥很好看’也好。', ["这座桥", "那座桥很好看"]],
    ["报告认为AI“很好”，于2020“关闭”。", ["很好", "关闭"]],
    ["彼は「塔が倒れた」と、サーバー『二』を見た。", ["塔が倒れた", "二"]],
    ["그는\"탑이 무너졌다\"고, 또'탑이 아주 크게 무너졌다'고 했다.", ["탑이 무너졌다", "탑이 아주 크게 무너졌다"]],
    ['เขาพูดว่า"หอคอยพังแล้ว"เมื่อวาน', ["หอคอยพังแล้ว"]],
    ["Il a dit«la tour» hier.", ["la tour"]],
    ["Turm“, dann „der Turm fiel“. Ein 5“-Rohr, dann „er stand“.", ["der Turm fiel", "er stand"]],
    ["Turm« stand da. Er sagte »der Turm fiel« und ging.", ["der Turm fiel"]],
    ["He said ‘the tower fell down’ and it’s gone.", ["the tower fell down"]],
    ["It's the dogs' tower and it's 'not mine' either.", []],
    ["He wrote 'the tower fell down' there.", ["the tower fell down"]],
    ["She said “he called it ‘a fine old tower’ twice” then.", ["he called it ‘a fine old tower’ twice"]],
    ["“One,” she said, “two.”", ["One,", "two."]],
    ["A “first and „second“ third” end.", ["first and „second“ third"]],
    ['`"code"` and <a title="x">y</a> and [z](http://a.b "t")', []],
    ['```\n"code"\n```\n\n    "indented"\n\n"prose here"', ["prose here"]],
    ['---\ntitle: "front"\n---\n"body"', ["body"]],
    ['---\ntitle: "front"\n\nby: "me"\n...\n"body"', ["body"]],
    ['---\n---\n"body"', ["body"]],
    ['---\n"body" after a rule\n\n"more"', ["body", "more"]],
    ['---\r\n\r\n"body" after a rule\r\n\r\n---\r\n\r\n"more"', ["body", "more"]],
    ['An "open mark\n\nand "another paragraph".', ["another paragraph"]],
    ['a 5" pipe and a 6" pipe', []],
    ['He said "the 12" disk and the 14" disk fell" and left.', ['the 12" disk and the 14" disk fell']],
    ["He said “the 12” disk fell” and “it stood”.", ["the 12” disk fell", "it stood"]],
    ['Pages "11", "page 12" and a 14" disk, "page 13" and "the end".', ["11", "page 12", "page 13", "the end"]],
    ['A "he said "page 12" there" end.', ['he said "page 12" there']],
    ["Hon sade ”sida 12” och ”tornet föll”.", ["sida 12", "tornet föll"]],
    ["“the **bold** and [linked](x.md) *words*[^1]”\n\n[^1]: N", ["the bold and linked words"]],
    ["> The tower\n> fell.\n>\n> It was old.\n\nText", ["The tower\nfell.\n\nIt was old."]],
    ["> The tower\nfell in\n> 1911.\nSo it is gone.", ["The tower\nfell in\n1911."]],
    ["> The tower fell\n(history.md)\nin 1911", ["The tower fell"]],
    ["> The tower fell\n> — Pump manual\nIt was old.", ["The tower fell"]],
    ["> The tower fell\n---\nin 1911", ["The tower fell"]],
    ["> The tower fell\n- in 1911", ["The tower fell"]],
    ["> The tower fell\n[^1]: in 1911", ["The tower fell"]],
    ["> # The tower\nfell in", ["# The tower"]],
    ["> The tower fell\n>\nin 1911", ["The tower fell"]],
    ["> “The tower fell.”", ["The tower fell."]],
    ["- > The tower fell.\n  > It was old.", ["The tower fell.\nIt was old."]],
    ["* Point:\n\n    > The tower fell.\n\nText", ["The tower fell."]],
    ["> - First.\n> - Second.\n> - Third.", ["- First.\n- Second.\n- Third."]],
    ["> [!NOTE]\n> The tower fell.", ["The tower fell."]],
    ['1. Run:\n\n    ```sh\n    echo "hello world"\n    ```\n\n"prose here"', ["prose here"]],
    ['<!--\n"a comment"\n-->\n"prose here"', ["prose here"]],
    ['It costs "\\$1.50 per user" now.', ["$1.50 per user"]],
    ['It says \\"the tower fell\\" here.', ["the tower fell"]],
    ['“” and "" and " "', []],
    ["", []],
  ])("finds the quotations of %j", (draft, expected) => {
    expect(texts(draft)).toEqual(expected);
  });

  it.each([
    ['"a b c" (history.md)', "history.md"],
    ['"a b c" (see *Pump manual*, p. 3)', "Pump manual, p. 3"],
    ['"a b c" [Pump manual](docs/pump.md)', "Pump manual; docs/pump.md"],
    ['"a b c."[^n]\n\n[^n]: Calder, *History*, 1911.', "Calder, History, 1911."],
    ['"a b c" [1]\n\n[1] Pump manual', "Pump manual"],
    ["“a b c” — Pump manual", "Pump manual"],
    ['According to the pump manual, "a b c"', "the pump manual"],
    ['In [History](history.md), "a b c"', "History; history.md"],
    ['The pump manual says: "a b c"', "The pump manual"],
    ['`server-guide.md` warns that "a b c".', "server-guide.md"],
    ['"a b c", as history.md puts it.', "history.md"],
    ["> a b c\n> — Pump manual", "Pump manual"],
    ["> a b c\n\n— Pump manual", "Pump manual"],
    ["> a b c (history.md)", "history.md"],
    ["> a b c\n(history.md)", "history.md"],
    ["> a b c\n\n(history.md)", undefined],
    [
      '"a b c"[^n]\n\n[^n]: A title that is long; see\n    history.md\n\n    code.md',
      "A title that is long; see history.md",
    ],
    ['In a long sentence about several other things he says "a b c"', undefined],
    ['He said: "a b c"', undefined],
    ["> a b c. (history.md)", "history.md"],
    ["> a b c (history.md).", "history.md"],
    ["> a b c (and d).", undefined],
    ["> a b c. — *Pump manual*", "Pump manual"],
    ["> “a b c.” -- history.md", "history.md"],
    ["> a b c. — And then, much later, a good deal more of it came.", undefined],
    ["> - a b\n> - c d", undefined],
    ["“A b c.” The costs are in pump.md.", undefined],
    ['Unlike report.txt, it claims "a b c"', undefined],
    ['Not in [the manual](pump.md) but in [the report](report.md): "a b c"', "the report; report.md"],
    ['It was "a b c" then.', undefined],
    ['It was *never* true that "a b c"', undefined],
    ['In *any* case, "a b c"', undefined],
    ['The word **Harbour** is odd: "a b c"', undefined],
    ['*Pump manual* says: "a b c"', "Pump manual"],
    ['As *The Pump* (1911) puts it, "a b c"', "The Pump"],
    ['We read in the *Pump manual* "a b c"', "Pump manual"],
    ['According to *Calder*, "a b c"', "Calder"],
  ])("names the source of %j", (draft, expected) => {
    expect(sources(draft)).toEqual([expected]);
  });

  it("does not take the source of the sentence before", () => {
    const draft = "“The barn was painted red” (barn.md). “The mill was closed in 1955” is also true.";
    expect(sources(draft)).toEqual(["barn.md", undefined]);
    for (const before of ["See barn.md for the barn.", "It is in [the book](barn.md).", "(It is in barn.md.)"])
      expect(sources(`${before} “The mill was closed in 1955”`)).toEqual([undefined]);
  });

  it("mentions emphasised words that may be a source or only stressed", () => {
    const mentions = (draft: string) => quotationsIn(draft).quotations.map(({ mentioned }) => mentioned);
    expect(mentions('It was *never* true that "a b c"')).toEqual(["never"]);
    expect(mentions('The *Pump manual* is clear: "a b c"')).toEqual(["Pump manual"]);
    expect(mentions('*Pump manual* says: "a b c", *then* "d e f" (x.md)')).toEqual([undefined, undefined]);
  });

  it("gives offsets and lines, and the lines of marks that are not closed", () => {
    const draft = 'One.\n\nA "b c"\nand “d\n\n> e f\n';
    const { quotations, unclosed } = quotationsIn(draft);
    expect(quotations.map(({ start, end }) => draft.slice(start, end))).toEqual(["b c", "> e f\n"]);
    expect(quotations.map(({ line }) => line)).toEqual([3, 6]);
    expect(unclosed).toEqual([4]);
  });
});
