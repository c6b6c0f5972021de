"""The scores of docs/index-format.md §12, computed from what index_reader reads."""

import math
import re
import unicodedata

STOP_WORDS = frozenset(
    """i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
    they them their theirs themselves what which who whom whose this that these those am is are was were be been being have has had
    having do does did doing a an the and but if or because as until while of at by for with about against between into through
    during before after above below to from up down in out on off over under again further then once here there when where why how
    all any both each few more most other some such no nor not only own same so than too very s t can will just don should now d ll
    m o re ve y ain aren couldn didn doesn hadn hasn haven isn mustn needn shan shouldn wasn weren won wouldn would could may might
    must shall also us""".split()
)
K1, B = 0.9, 0.4
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3000-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
_ACCENTS = re.compile(
    "(?<!\u0438)\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u20d0-\u20f0]"
)
_PLAIN = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "þ": "th", "ς": "σ"}
_PLAIN |= {"\u0629": "\u0647", "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643"}
_PLAIN |= {chr(zero + n): str(n) for zero in (0x660, 0x6F0, 0x966) for n in range(10)}
_PLAIN = str.maketrans(_PLAIN)


def murmur3(data):
    """MurmurHash3 x86_32, seed 0."""

    def scramble(k):
        k = k * 0xCC9E2D51 & 0xFFFFFFFF
        k = (k << 15 | k >> 17) & 0xFFFFFFFF
        return k * 0x1B873593 & 0xFFFFFFFF

    h, whole = 0, len(data) & ~3
    for at in range(0, whole, 4):
        h ^= scramble(int.from_bytes(data[at : at + 4], "little"))
        h = ((h << 13 | h >> 19) & 0xFFFFFFFF) * 5 + 0xE6546B64 & 0xFFFFFFFF
    h ^= scramble(int.from_bytes(data[whole:], "little")) ^ len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


def bucket(text):
    return murmur3(text.encode("utf-8", "replace")) & 0xFFFFFF


def fold(word):
    visible = unicodedata.normalize("NFKC", _INVISIBLE.sub("", word)).lower()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", visible)).translate(_PLAIN))


def is_letter(character):
    return unicodedata.category(character)[0] in "LNM" or "\u2f00" <= character <= "\u2fd5"


def characters(text):
    """Code points, with voicing marks, variation selectors and the rest of a decomposed syllable at their first one."""
    out = []
    for character in text:
        code, last = ord(character), out[-1] if out else " "
        is_mark = code in (0x3099, 0x309A, 0xFF9E, 0xFF9F) or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
        is_vowel = re.fullmatch("[\u1100-\u115f]", last) and 0x1160 <= code <= 0x11A7
        is_final = re.fullmatch("[\u1100-\u115f][\u1160-\u11a7]", last) and 0x11A8 <= code <= 0x11FF
        if is_letter(last[0]) and _UNSPACED.match(last[0]) and (is_mark or is_vowel or is_final):
            out[-1] += character
        else:
            out.append(character)
    return out


def unspaced_words(text):
    """(word, whether it is one of the characters that are words by themselves, whether it follows another one directly)"""
    run, after = "", False
    for character in [*characters(text), " "]:
        if not _UNSPACED.match(character) and _INVISIBLE.match(character):
            run += character
            after = False
            continue
        is_part = is_letter(character[0])
        alone = is_part and _UNSPACED.match(character) is not None
        if not is_part or alone:
            if fold(run):
                yield fold(run), False, False
            run = ""
            if alone:
                yield fold(character), True, after
        else:
            run += character
        after = alone


def words(text):
    for word, _, _ in unspaced_words(text):
        yield word


def search_words(text):
    """The buckets that BM25 counts: words but stop words, and pairs of neighbouring characters."""
    before = None
    for word, alone, follows in [*unspaced_words(text), ("", False, False)]:
        if before is not None and not (alone and follows):
            if not before[1]:
                yield bucket(before[0])
            before = None
        if alone:
            if before is not None:
                yield bucket(f"{before[0]} {word}")
            before = (word, before is not None)
        elif word not in STOP_WORDS and word:
            yield bucket(word)


def ngram_counts(text):
    """Bucket -> count of uni- and bigrams, without single stop words and pairs of them."""
    counts, last = {}, None
    for word in words(text):
        keys = [] if word in STOP_WORDS else [bucket(word)]
        if last is not None and not (word in STOP_WORDS and last in STOP_WORDS):
            keys.append(bucket(f"{last} {word}"))
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
        last = word
    return counts


def idf(total, having):
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def by_document(postings, documents):
    counts = {}
    for passage, count in postings:
        counts[documents[passage]] = min(255, counts.get(documents[passage], 0) + count)
    return list(counts.items())


class Scores:
    """Scores of one question over all live passages of an index."""

    def __init__(self, index, question):
        self.index, self.question, self.model = index, question, question["model"]
        self.postings = [segment.tfidf() for segment in index.segments]
        self.terms_of = [segment.terms() if segment.level != "lexical" else {} for segment in index.segments]
        self.norms = [segment.norms() for segment in index.segments]
        self.live_passages = index.manifest["totals"]["passages"]
        self.live_documents = index.manifest["totals"]["documents"]

    def _lists(self, key, kind):
        """[(segment number, [(unit, count)])] of one bucket."""
        out = []
        for s, segment in enumerate(self.index.segments):
            found = self.postings[s].get(key, [])
            out.append(by_document(found, segment.document) if kind == 0 else found)
        return out

    def _live(self, lists, kind):
        count = 0
        for segment, found in zip(self.index.segments, lists):
            count += sum(not segment.deleted[unit if kind == 0 else segment.document[unit]] for unit, _ in found)
        return count

    def _tfidf(self, kind):
        """kind 0: of documents, 1: of passages. (segment, unit) -> tfidf without λ"""
        grams = ngram_counts(self.question["text"])
        total = (self.live_documents, self.live_passages)[kind]
        sums, squares = {}, 0
        for key, asked in sorted(grams.items()):
            lists = self._lists(key, kind)
            rarity = idf(total, self._live(lists, kind))
            weight = math.log(1 + asked) * rarity
            squares += weight * weight
            for s, found in enumerate(lists):
                for unit, count in found:
                    sums[s, unit] = sums.get((s, unit), 0) + weight * rarity * math.log(1 + count)
        return {(s, unit): value / math.sqrt(squares) / self.norms[s][kind][unit] for (s, unit), value in sums.items()}

    def tfidf(self):
        documents, passages = self._tfidf(0), self._tfidf(1)
        factor = self.model["weights"]["tfidf"]
        return lambda s, p: factor * (documents.get((s, self.index.segments[s].document[p]), 0) + passages.get((s, p), 0))

    def bm25(self):
        live = [(s, p) for s, seg in enumerate(self.index.segments) for p, d in enumerate(seg.document) if not seg.deleted[d]]
        mean = sum(self.index.segments[s].tokens[p] for s, p in live) / len(live)
        asked = {}
        for key in search_words(self.question["text"]):
            asked[key] = asked.get(key, 0) + 1
        sums = {}
        for key, count in sorted(asked.items()):
            lists = self._lists(key, 1)
            weight = count * idf(self.live_passages, self._live(lists, 1))
            for s, found in enumerate(lists):
                for p, tf in found:
                    length = self.index.segments[s].tokens[p]
                    sums[s, p] = sums.get((s, p), 0) + weight * tf / (tf + K1 * (1 - B + B * length / mean))
        return lambda s, p: sums.get((s, p), 0)

    def terms(self):
        factor = self.model["weights"]["terms"] / self.model["scales"]["term"]
        sums = {}
        for term, weight in zip(self.question["terms"], self.question["termWeights"]):
            for s, lists in enumerate(self.terms_of):
                for p, impact in lists.get(term, []):
                    sums[s, p] = sums.get((s, p), 0) + factor * weight * impact
        return lambda s, p: sums.get((s, p), 0)

    def vector(self):
        factor = self.model["weights"]["vector"] / 127
        asked = rounded(self.question["vector"], 32767)
        stored = [segment.vectors() if segment.level != "lexical" else None for segment in self.index.segments]
        return lambda s, p: 0 if stored[s] is None else factor * sum(q * x for q, x in zip(asked, stored[s][p]))

    def spans(self, stored, is_continuation=lambda _: False):
        """All spans of a passage of level full: (start position, end position) -> (dense, n-gram)."""
        question, scales = self.question, self.model["scales"]
        specials = set(self.model["specials"].values())
        ids, last = stored["ids"], len(stored["ids"]) - 1
        weights = {name: question_weights(question, name, specials) for name in ("startUnigrams", "startBigrams", "endUnigrams", "endBigrams")}

        def ngram(side, row):
            total = 0
            for position, weight in stored[f"{side}Unigrams"][row]:
                total += weight * weights[f"{side}Unigrams"].get(ids[position], 0)
            for position, weight in stored[f"{side}Bigrams"][row]:
                total += weight * weights[f"{side}Bigrams"].get(tuple(ids[position : position + 2]), 0)
            return total * self.model["weights"]["ngrams"] / scales["ngram"]

        q_start, q_end = rounded(question["start"], 32767), rounded(question["end"], 32767)
        q_coherency = rounded(question["coherency"], 2047)
        out = {}
        for i, start in enumerate(stored["startPositions"]):
            if not stored["firstToken"] <= start < last or is_continuation(ids[start]):
                continue
            for j, end in enumerate(stored["endPositions"]):
                if not start <= end < min(last, start + question["maxAnswerTokens"]):
                    continue
                if end + 1 < last and is_continuation(ids[end + 1]):
                    continue
                dense = dot(q_start, stored["startVectors"][i]) / scales["start"]
                dense += dot(q_end, stored["endVectors"][j]) / scales["end"]
                products = [a * b for a, b in zip(stored["startCoherency"][i], stored["endCoherency"][j])]
                dense += dot(q_coherency, products) / (scales["coherencyStart"] * scales["coherencyEnd"])
                dense += question["offset"]
                out[start, end] = (dense, ngram("start", i) + ngram("end", j))
        return out


def question_weights(question, name, specials):
    """n-gram of the question -> its weight; occurrences add up."""
    ids, out = question["ids"], {}
    for m, token in enumerate(ids):
        following = ids[m + 1] if m + 1 < len(ids) else None
        if token in specials:
            continue
        if name.endswith("Unigrams"):
            out[token] = out.get(token, 0) + question[name][m]
        elif following is not None and following not in specials:
            out[token, following] = out.get((token, following), 0) + question[name][m]
    return out


def rounded(vector, maximum):
    """The question's vector as it is used: multiples of its largest value / maximum, halves rounded up."""
    scale = maximum / max(map(abs, vector))
    return [math.floor(x * scale + 0.5) / scale for x in vector]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))
