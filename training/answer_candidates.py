"""Passages of unlabelled documents, and spans in them that a question may ask for: names, numbers
and dates, noun phrases, clauses.

The rules only propose; the teacher's round trip (round_trip.py) decides what is kept.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

FUNCTION = (
    "a an the this that these those and or but nor so if when while because since as of in on at by for from to with without into onto over under "
    "between among through during before after about against is are was were be been being am do does did has have had will would can could may "
    "might must shall should not no it its he she they we you i his her their our your my who whom which what where there here than then also "
    "see e.g i.e etc note"
).split()
NUMBER = r"\$?\d[\d,.]*\d%?|\$?\d%?"
UNIT = r"(?:\s?(?:percent|per cent|million|billion|thousand|days?|weeks?|months?|years?|hours?|minutes?|seconds?|km|m|cm|mm|kg|g|MB|GB|KB|ms|s|dollars|euros?|miles|feet))?"
MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
PATTERNS = {
    "date": re.compile(rf"\b(?:\d{{1,2}} )?{MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?\b|\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b1[5-9]\d\d\b|\b20\d\d\b"),
    "number": re.compile(rf"(?<![\w.-])(?:{NUMBER}){UNIT}(?![\w-])"),
    "name": re.compile(r"(?<=[a-z,;:(] )[A-Z][\w'’-]+(?: (?:(?:of|the|de|van|von|and) )?[A-Z][\w'’-]+){0,5}"),
    "noun": re.compile(r"(?:(?<=\bthe )|(?<=\ban )|(?<=\ba ))[a-z][\w-]+(?: [a-z][\w-]+){0,3}"),
    "clause": re.compile(r"\b(?:because|if|unless|until|when|by|in order to|so that|at least|no later than) (?:[\w'’,-]+ ){2,11}[\w'’-]+(?=[.;)\n])"),
}
SHARES = {"date": 1.0, "number": 1.0, "name": 1.2, "noun": 1.0, "clause": 1.5}  # how likely a kind is drawn, beside the others
BLOCK = re.compile(r"\n\s*\n")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
FENCE = re.compile(r"^(?:```|~~~)")
UNDERLINE = re.compile(r"^[=~^*#\"'-]{3,}\s*$")  # below a heading in reStructuredText
ALERT = re.compile(r"\[!\w+\]\s*")  # [!NOTE] in Markdown
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def candidates(text: str) -> list[tuple[str, int, int]]:
    """(kind, start, end) of spans that may be answers, without overlaps inside a kind; a noun
    phrase ends before a function word."""
    found = []
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            if kind == "noun":
                words = match.group().split(" ")
                kept = next((n for n, word in enumerate(words) if word.lower() in FUNCTION or word.endswith("ly")), len(words))
                if kept == 0:
                    continue
                end = start + len(" ".join(words[:kept]))
            found.append((kind, start, end))
    return found


def pick(text: str, count: int, rng: random.Random) -> list[tuple[str, int, int]]:
    """At most `count` candidates, drawn by the kinds' shares, that do not overlap."""
    pool = candidates(text)
    chosen: list[tuple[str, int, int]] = []
    while pool and len(chosen) < count:
        numbers: dict[str, int] = {}
        for kind, _, _ in pool:
            numbers[kind] = numbers.get(kind, 0) + 1
        one = rng.choices(pool, [SHARES[kind] / numbers[kind] for kind, _, _ in pool])[0]
        chosen.append(one)
        pool = [other for other in pool if other[2] <= one[1] or other[1] >= one[2]]
    return chosen


def plain(line: str) -> str:
    """A line of Markdown without links, emphasis and list marks."""
    line = ALERT.sub("", LINK.sub(r"\1", line))
    line = re.sub(r"(\*\*|__|`)", "", line)
    return re.sub(r"^\s*(?:[-*+>]|\d+\.)\s+", "", line).strip()


def passages(title: str, text: str, least: int = 200, most: int = 900) -> Iterator[tuple[str, str]]:
    """(title and heading, text) of passages of `least` to `most` characters: neighbouring blocks
    under one heading, code left out. A text without blank lines is taken to have a paragraph per
    line."""
    heading, parts, fenced = "", [], False
    if not BLOCK.search(text):
        text = text.replace("\n", "\n\n")

    def flush() -> Iterator[tuple[str, str]]:
        whole = " ".join(parts)
        if len(whole) >= least:
            yield (f"{title}: {heading}" if heading and heading != title else title), whole
        parts.clear()

    for block in BLOCK.split(text):
        lines: list[str] = []
        for line in block.split("\n"):
            if UNDERLINE.match(line) and len(lines) == 1:
                yield from flush()
                heading = lines.pop()
            elif FENCE.match(line.strip()):
                fenced = not fenced
            elif match := HEADING.match(line):
                yield from flush()
                heading = plain(match.group(1))
            elif not fenced and not line.startswith("    ") and "|" not in line:
                lines.append(plain(line))
        said = " ".join(line for line in lines if line)
        if not said or len(said) > most:
            yield from flush()
            continue
        if sum(map(len, parts)) + len(said) > most:
            yield from flush()
        parts.append(said)
    yield from flush()
