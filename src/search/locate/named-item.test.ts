import { describe, expect, it } from "vitest";
import { asksForName, itemAt, namedItems } from "./named-item.js";

/** The name and the item of the text around a word. */
function item(text: string, word: string) {
  const found = itemAt(namedItems(text), text.indexOf(word));
  return found && [text.slice(found.name.start, found.name.end), text.slice(found.item.start, found.item.end)];
}

describe("asksForName", () => {
  it.each([
    "Which option limits the number of answers?",
    "what command line flag turns colour off",
    "What is the size, and which environment variable sets it?",
    "name the setting for the largest file",
    "Which key reloads the page?",
  ])("is true for %s", (question) => expect(asksForName(question)).toBe(true));

  it.each([
    "How do I limit the answers?",
    "What is the default of --top-k?",
    "What key size does it use?",
    "Who holds the keys?",
  ])("is false for %s", (question) => expect(asksForName(question)).toBe(false));
});

describe("a named item", () => {
  it.each([
    ["-q, --quiet: print nothing but errors.\n", "nothing", "--quiet"],
    ["- --depth N How many folders are searched.", "folders", "--depth"],
    ["Options\n\n--colour=WHEN\n  Colours the output.\n--next\n  More.", "output", "--colour"],
    ["-n, --lines=NUM  print NUM lines", "print", "--lines"],
    ["Options:\n\nmax_size\nLargest file in MB.\nmin_size\nSmallest.", "Largest", "max_size"],
    ["max_size\nLargest file in MB.\nmin_size\nSmallest.", "Smallest", "min_size"],
    ["server.port – the port that it listens on", "listens", "server.port"],
    ["option | meaning\n--top-k N | number of answers", "answers", "--top-k"],
    ["Key | Meaning\nSpace | stops the music", "music", "Space"],
    ["tool prune\n\nRemoves old versions.", "old", "tool prune"],
    ["To restart it, run:\n\ntool restart --now\n", "restart it", "tool restart --now"],
    ["F5\nReloads the page.", "page", "F5"],
    ["-q, --quiet: print nothing", "quiet", "--quiet"],
    ["POST_URL: where results are sent", "sent", "POST_URL"],
    ["Options:\n  -w, --width PIXELS      make pictures this wide\n  -h, --help  help", "wide", "--width"],
    ["      --no-upscale        leave pictures alone", "alone", "--no-upscale"],
    ["--port N | the port\n--root DIR | the folder", "folder", "--root"],
  ])("of %j at %j is %s", (text, word, name) => {
    expect(item(text, word)?.[0]).toBe(name);
  });

  it("ends before the next one", () => {
    const text = "--one\n  The first\n  of two.\n--two\n  The second.\n\nOther text.";
    expect(item(text, "of two")).toEqual(["--one", "--one\n  The first\n  of two."]);
    expect(item(text, "second")).toEqual(["--two", "--two\n  The second."]);
  });

  it.each([
    ["The pump moves water\nto the tank on the hill.", "tank"],
    ["Mercury: the planet nearest to the sun.", "planet"],
    ["Yesterday I went home - it rained.", "rained"],
    ["name | age\nAnn | 40", "40"],
    ["1. Close the valve.\n2. Open the tap.", "tap"],
    ["Overview\n\nThe pump is loud.", "loud"],
  ])("is not in %j", (text, word) => expect(item(text, word)).toBeUndefined());
});
