"""Checks indexes with the independent reader.

python3 test/format/run.py [--junitxml FILE]                the golden index against its expected values, and flipped bits
python3 test/format/run.py --index FOLDER [--model FOLDER]  every rule of the page on an index; with a model, its token ids too
"""

import argparse
import json
import os
import random
import re
import struct
import sys
import unittest
from collections import Counter
from xml.sax.saxutils import quoteattr

from index_reader import (
    Cursor,
    FormatError,
    Index,
    Segment,
    crc32c,
    json_text,
    number_text,
    parse_manifest,
    read_container,
    read_list,
)
from scores import STOP_WORDS, Scores, by_document, murmur3, ngram_counts
from wordpiece import WordPiece

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden", "index-v1")


def checksum(stored):
    """CRC32C of a passage's numbers as test/golden/describe-index.ts computes it."""
    data = struct.pack(f"<{len(stored['ids'])}H", *stored["ids"])
    data += bytes(stored["startPositions"]) + bytes(stored["endPositions"])
    for name in ("startVectors", "startCoherency", "endVectors", "endCoherency"):
        for row in stored[name]:
            data += bytes(value & 255 for value in row)
    for name in ("startUnigrams", "startBigrams", "endUnigrams", "endBigrams"):
        entries = [entry for row in stored[name] for entry in row]
        data += bytes(position for position, _ in entries) + bytes(weight for _, weight in entries)
    return f"{crc32c(data):08x}"


def flat(stored):
    """As expected.json has a stored passage: rows joined, n-grams as offsets, positions and weights."""
    out = dict(stored)
    for name in ("startVectors", "startCoherency", "endVectors", "endCoherency"):
        out[name] = [value for row in stored[name] for value in row]
    for name in ("startUnigrams", "startBigrams", "endUnigrams", "endBigrams"):
        offsets = [0]
        for row in stored[name]:
            offsets.append(offsets[-1] + len(row))
        entries = [entry for row in stored[name] for entry in row]
        out[name] = {"offsets": offsets, "positions": [p for p, _ in entries], "weights": [w for _, w in entries]}
    return out


def check_segment(segment):
    """What of a segment can be computed a second time: counts and norms."""
    if segment.level == "full":
        for passage in range(segment.entry["passages"]):
            segment.stored(passage)
    if segment.level != "lexical":
        segment.terms()
        segment.vectors()
    counts = Counter()
    for passage in range(segment.entry["passages"]):
        for key, count in ngram_counts(segment.passage_text(passage)).items():
            counts[key, passage] = min(255, count)
    lists = segment.tfidf()
    assert dict(counts) == {(key, p): count for key, found in lists.items() for p, count in found}, f"{segment.name}: n-grams"
    check_norms(segment, lists)


def check_norms(segment, lists):
    import math

    sums = ([0.0] * segment.entry["documents"], [0.0] * segment.entry["passages"])
    for found in lists.values():
        for kind, units in enumerate((by_document(found, segment.document), found)):
            for unit, count in units:
                sums[kind][unit] += math.log(1 + count) ** 2
    for expected, norms in zip(sums, segment.norms()):
        for square, norm in zip(expected, norms):
            assert abs(norm - (math.sqrt(square) or 1)) <= 1e-5 * norm, f"{segment.name}: a norm"


def check_tokens(segment, model_folder):
    """The stored ids are [CLS] title [SEP] passage [SEP] of the model's vocabulary (§7.1)."""
    with open(os.path.join(model_folder, "model.json"), encoding="utf-8") as file:
        model = json.load(file)
    with open(os.path.join(model_folder, "vocab.txt"), encoding="utf-8") as file:
        tokenizer = WordPiece(file.read().rstrip("\n").split("\n"))
    cls, sep = tokenizer.ids["[CLS]"], tokenizer.ids["[SEP]"]
    for passage, document in enumerate(segment.document):
        stored = segment.stored(passage)
        title = [token for token, _, _ in tokenizer.tokenize(segment.records[document]["title"])]
        title = title[: model["maxTitleTokens"]]
        text = [token for token, _, _ in tokenizer.tokenize(segment.passage_text(passage))]
        assert stored["ids"] == [cls, *title, sep, *text, sep], f"{segment.name}: tokens of passage {passage}"
        assert stored["firstToken"] == len(title) + 2, f"{segment.name}: first token of passage {passage}"


class Details(unittest.TestCase):
    def test_check_values(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(murmur3(b""), 0)
        self.assertEqual(murmur3(b"hello"), 0x248BFA47)

    def test_numbers_are_written_as_ecmascript_does(self):
        for value, text in ((1e-7, "1e-7"), (1e21, "1e+21"), (123456789012345680000, "123456789012345680000"), (0.1, "0.1"), (-0.0, "0"), (1e-6, "0.000001"), (1.5e300, "1.5e+300"), (100, "100"), (12.5, "12.5")):
            self.assertEqual(number_text(value), text)

    def test_strings_are_written_as_json_stringify_does(self):
        self.assertEqual(json_text('é"\n\u2028\ud800'), '"é\\"\\n\u2028\\ud800"')


class Page(unittest.TestCase):
    """The examples of docs/index-format.md."""

    def test_dumps_are_the_bytes_of_the_golden_index(self):
        with open(os.path.join(HERE, "..", "..", "docs", "index-format.md"), encoding="utf-8") as file:
            page = file.read()
        lines = 0
        for name, block in re.findall(r"```hexdump (\S+)\n(.*?)```", page, re.DOTALL):
            with open(os.path.join(GOLDEN, "index", name), "rb") as file:
                data = file.read()
            for offset, dump in re.findall(r"^([0-9a-f]{4})  ((?:[0-9a-f]{2} )+)", block, re.MULTILINE):
                expected = bytes.fromhex(dump)
                self.assertEqual(data[int(offset, 16) :][: len(expected)], expected, f"{name} at {offset}")
                lines += 1
        self.assertGreater(lines, 20)

    def test_a_list_with_heads_of_runs(self):
        data = bytes.fromhex("85 02 8a 01 80 01 01 80 01 02 01 02") + bytes(130)
        cursor = Cursor(data, "example")
        self.assertEqual(read_list(cursor), [(passage, 1) for passage in range(130)])
        cursor.end()

    def test_the_stop_words_are_those_of_the_page(self):
        with open(os.path.join(HERE, "..", "..", "docs", "index-format.md"), encoding="utf-8") as file:
            quoted = re.findall(r"^> (.*)$", file.read(), re.MULTILINE)
        self.assertEqual(set(" ".join(quoted).split()), set(STOP_WORDS))


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = Index(os.path.join(GOLDEN, "index"))
        with open(os.path.join(GOLDEN, "expected.json"), encoding="utf-8") as file:
            cls.expected = json.load(file)

    def test_counts(self):
        manifest, expected = self.index.manifest, self.expected
        self.assertEqual(manifest["version"], expected["version"])
        self.assertEqual(manifest["totals"]["documents"], expected["documentCount"])
        self.assertEqual(manifest["totals"]["passages"], expected["passageCount"])
        self.assertEqual([(s.name, s.level) for s in self.index.segments], [(s["name"], s["level"]) for s in expected["segments"]])

    def test_documents(self):
        for segment, expected in zip(self.index.segments, self.expected["segments"]):
            self.assertEqual(len(segment.records), len(expected["documents"]))
            for number, document in enumerate(expected["documents"]):
                record, head = document["record"], segment.records[number]
                self.assertEqual(segment.text(number), document["text"])
                self.assertEqual(segment.deleted[number], document["deleted"])
                self.assertEqual({"kind": head["kind"], "segments": segment.maps[number]}, record["map"])
                self.assertEqual(segment.headings[number], record.get("headings", []))
                self.assertEqual(head["passages"], record["passageCount"])
                for name in ("id", "title", "source", "contentHash", "length", "metadata"):
                    self.assertEqual(head[name], record[name])

    def test_passages(self):
        for segment, expected in zip(self.index.segments, self.expected["segments"]):
            self.assertEqual(len(segment.document), len(expected["passages"]))
            for number, passage in enumerate(expected["passages"]):
                place = (segment.document[number], segment.start[number], segment.end[number], segment.tokens[number])
                self.assertEqual(place, tuple(passage[name] for name in ("document", "start", "end", "tokens")))
                if segment.level != "full":
                    continue
                stored = segment.stored(number)
                self.assertEqual(checksum(stored), passage["crc32c"])
                if "stored" in passage:
                    self.assertEqual(flat(stored), passage["stored"])

    def test_postings_and_norms(self):
        for segment, expected in zip(self.index.segments, self.expected["segments"]):
            terms = {} if segment.level == "lexical" else segment.terms()
            self.assertEqual({str(key): [list(one) for one in found] for key, found in terms.items()}, expected["terms"])
            vectors = [] if segment.level == "lexical" else segment.vectors()
            self.assertEqual(vectors, expected["vectors"])
            documents, passages = segment.norms()
            self.assertEqual({"documents": list(documents), "passages": list(passages)}, expected["norms"])

    def test_redundant_parts_agree(self):
        for segment in self.index.segments:
            check_segment(segment)

    def test_scores(self):
        question = self.expected["question"]
        scores = Scores(self.index, question)
        names = {segment.name: number for number, segment in enumerate(self.index.segments)}
        parts = {"terms": scores.terms(), "tfidf": scores.tfidf(), "vector": scores.vector(), "bm25": scores.bm25()}
        found = Counter()
        for expected in question["scores"]:
            s, p = names[expected["segment"]], expected["passage"]
            for name, score in parts.items():
                self.assertAlmostEqual(score(s, p), expected[name], delta=1e-6 * max(1, abs(expected[name])))
                found[name] += expected[name] > 0
            if self.index.segments[s].level != "full":
                continue
            spans = scores.spans(self.index.segments[s].stored(p))
            self.assertEqual(bool(spans), bool(expected["spans"]))
            for span in expected["spans"]:
                dense, ngram = spans[span["startPosition"], span["endPosition"]]
                self.assertAlmostEqual(dense, span["dense"], delta=1e-6 * max(1, abs(dense)))
                self.assertAlmostEqual(ngram, span["ngram"], delta=1e-6 * max(1, abs(ngram)))
                found["ngram"] += span["ngram"] > 0
            if spans:
                best = max(dense + ngram for dense, ngram in spans.values())
                self.assertAlmostEqual(best, expected["spans"][0]["score"], delta=1e-6 * max(1, abs(best)))
                found["dense"] += 1
        for name in ("terms", "tfidf", "vector", "bm25", "ngram", "dense"):
            self.assertGreater(found[name], 0, f"no passage has a score of {name}")

    def test_flipped_bits_are_detected(self):
        rng = random.Random(7)
        manifest = self.index.manifest
        names = [f"manifest-{manifest['version']}.json"]
        files = {file["name"]: file for segment in manifest["segments"] for file in segment["files"]}
        for name in [*names, *files]:
            with open(os.path.join(GOLDEN, "index", name), "rb") as file:
                data = file.read()
            for _ in range(6):
                bit = rng.randrange(8 * len(data))
                damaged = bytearray(data)
                damaged[bit >> 3] ^= 1 << (bit & 7)
                with self.assertRaises(FormatError, msg=f"{name}, bit {bit}"):
                    if name in files:
                        component = name.split(".")[1].split("-")[0]
                        read_container(bytes(damaged), name, component, manifest["model"]["passageModelHash"], files[name]["id"])
                    else:
                        parse_manifest(bytes(damaged), manifest["version"])

    def test_cut_files_are_detected(self):
        entry = self.index.manifest["segments"][0]["files"][0]
        with open(os.path.join(GOLDEN, "index", entry["name"]), "rb") as file:
            data = file.read()
        model_hash = self.index.manifest["model"]["passageModelHash"]
        for length in range(0, len(data), 97):
            with self.assertRaises(FormatError):
                read_container(data[:length], entry["name"], "documents", model_hash)


def write_junit(path, result):
    bad = [*result.failures, *result.errors]
    cases = "".join(f"<testcase name={quoteattr(str(test))}><failure>{quoteattr(trace)}</failure></testcase>" for test, trace in bad)
    counts = f'tests="{result.testsRun}" failures="{len(result.failures)}" errors="{len(result.errors)}" skipped="{len(result.skipped)}"'
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<testsuites><testsuite name="format" {counts}>{cases}</testsuite></testsuites>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", help="an index folder to check")
    parser.add_argument("--model", help="the folder of the model that made it")
    parser.add_argument("--junitxml", help="write a report of the tests")
    options = parser.parse_args()
    if options.index:
        index = Index(options.index)
        for segment in index.segments:
            check_segment(segment)
            if options.model and segment.level == "full":
                check_tokens(segment, options.model)
        print(json.dumps({"version": index.manifest["version"], **index.manifest["totals"], "segments": len(index.segments)}))
        return 0
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    if options.junitxml:
        write_junit(options.junitxml, result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
