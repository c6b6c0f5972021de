"""An independent reader of a Verbatim index, written from docs/index-format.md (version 1).

Python 3.11, standard library only. It checks everything that the page requires of a reader and raises FormatError, so it is
also a conformance check. It is not fast.
"""

import hashlib
import json
import os
import re
import struct
import zlib

MAGIC = bytes.fromhex("89 56 42 54 4D 0D 0A 1A")
VERSION = 1
COMPONENTS = {
    "lexical": ["documents", "text", "passages", "tfidf"],
    "thin": ["documents", "text", "passages", "vectors", "terms", "tfidf"],
    "full": ["documents", "text", "passages", "phrases", "ngrams", "vectors", "terms", "tfidf"],
}
SECTIONS = {
    "documents": ["records", "reference", "offsets", "ids"],
    "text": ["bytes", "pieces", "documents"],
    "phrases": ["records", "steps"],
    "ngrams": ["records", "step"],
    "vectors": ["rows"],
    "terms": ["postings", "fence"],
    "tfidf": ["documents.norms", "passages.postings", "passages.fence", "passages.norms"],
    "tombstones": ["documents"],
}
GROUP = 16
DROPPED = 255


class FormatError(Exception):
    """The bytes are not what the page says."""


def require(condition, message):
    if not condition:
        raise FormatError(message)


def _crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = (n >> 1) ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_CRC = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def sha128(data):
    return hashlib.sha256(data).digest()[:16]


def utf16(text):
    return text.encode("utf-16-le", "surrogatepass")


def numbers(data, code):
    """A column of little-endian numbers; code as of `struct`."""
    size = struct.calcsize("<" + code)
    require(len(data) % size == 0, "a column is cut")
    return struct.unpack(f"<{len(data) // size}{code}", data)


class Cursor:
    """Reads bytes front to back and never past the end."""

    def __init__(self, data, where):
        self.data, self.at, self.where = data, 0, where

    def take(self, count):
        require(0 <= count <= len(self.data) - self.at, f"{self.where}: ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.take(1)[0]

    def uint(self, size):
        return int.from_bytes(self.take(size), "little")

    def varint(self):
        value = 0
        for i in range(8):
            byte = self.byte()
            value |= (byte & 127) << (7 * i)
            if byte < 128:
                require(value < 2**53, f"{self.where}: a varint of 2^53 or more")
                return value
        raise FormatError(f"{self.where}: a varint of more than 8 bytes")

    def zigzag(self):
        n = self.varint()
        return n >> 1 if n % 2 == 0 else -((n + 1) >> 1)

    def bits(self, count, width):
        """`count` numbers of `width` bits, lowest bits first; the padding must be 0."""
        value = int.from_bytes(self.take((count * width + 7) // 8), "little")
        mask = (1 << width) - 1
        require(value >> (count * width) == 0, f"{self.where}: padding bits are set")
        return [(value >> (i * width)) & mask for i in range(count)]

    def rows(self, count, steps, dimensions):
        """Packed rows (§2.5)."""
        out = [[0] * dimensions for _ in range(count)]
        if count == 0:
            return out
        kept = [d for d in range(dimensions) if steps[d // GROUP] != DROPPED]
        require((3 + count) * len(kept) <= 8 * (len(self.data) - self.at), f"{self.where}: rows that are cut")
        stream = BitStream(self)
        lows = [stream.read(3) for _ in kept]
        numbers = [[stream.read(low) for _ in range(count)] for low in lows]
        for d, low, rests in zip(kept, lows, numbers):
            step = steps[d // GROUP]
            for row, rest in zip(out, rests):
                zeros = 0
                while stream.read(1) == 0:
                    zeros += 1
                number = zeros << low | rest
                require(number <= 255, f"{self.where}: the number {number}")
                k = -((number + 1) >> 1) if number & 1 else number >> 1
                row[d] = k if step == 1 else max(-127, min(127, k * step))
        stream.end()
        return out

    def end(self):
        require(self.at == len(self.data), f"{self.where}: {len(self.data) - self.at} bytes too many")


class BitStream:
    """Bits of a cursor's bytes from the lowest up; `end` skips the padding of the last byte."""

    def __init__(self, cursor):
        self.cursor, self.byte, self.left = cursor, 0, 0

    def read(self, width):
        value = 0
        for i in range(width):
            if self.left == 0:
                self.byte, self.left = self.cursor.byte(), 8
            value |= (self.byte & 1) << i
            self.byte >>= 1
            self.left -= 1
        return value

    def end(self):
        require(self.byte == 0, "padding of a list")


def inflate(data, length, where):
    """Raw DEFLATE to exactly `length` bytes."""
    try:
        stream = zlib.decompressobj(-15)
        out = stream.decompress(data, length + 1)
    except zlib.error as error:
        raise FormatError(f"{where}: {error}") from error
    require(len(out) == length and stream.eof and not stream.unused_data, f"{where}: does not inflate to {length} bytes")
    return out


# §2: containers


def read_container(data, name, component, model_hash, content_id=None):
    """Checks a segment file and returns its sections in order: name -> bytes."""
    require(len(data) >= 128, f"{name}: too short")
    header, footer = data[:64], Cursor(data[-64:], f"{name}, footer")
    require(header[:8] == MAGIC and data[-8:] == MAGIC, f"{name}: magic")
    require(crc32c(header[:60]) == int.from_bytes(header[60:], "little"), f"{name}: header CRC")
    written, minimum, must_know, _ = struct.unpack_from("<HHII", header, 8)
    require(minimum == VERSION and must_know == 0, f"{name}: needs format version {minimum}")
    require(written >= minimum, f"{name}: versions")
    require(header[20:36].hex() == model_hash[:32], f"{name}: another model")
    require(header[36:48].rstrip(b"\0").decode("ascii") == component, f"{name}: component")
    require(not any(header[48:60]), f"{name}: reserved bytes of the header")
    require(crc32c(data[-64:-12] + data[-8:]) == int.from_bytes(data[-12:-8], "little"), f"{name}: footer CRC")
    at, length, directory_crc, size = footer.uint(8), footer.uint(4), footer.uint(4), footer.uint(8)
    stored_id = footer.take(16)
    require(not any(footer.take(12)), f"{name}: reserved bytes of the footer")
    require(size == len(data) and at + length == size - 64, f"{name}: size")
    directory = data[at : at + length]
    require(crc32c(directory) == directory_crc, f"{name}: directory CRC")
    require(sha128(header + directory) == stored_id, f"{name}: content id")
    require(content_id is None or stored_id.hex() == content_id, f"{name}: not the file that the manifest names")
    sections, next_offset = {}, 64
    entries = Cursor(directory, f"{name}, directory")
    for _ in range(entries.uint(4)):
        section = entries.take(entries.byte()).decode("ascii")
        offset, length, block = entries.uint(8), entries.uint(8), entries.uint(4)
        require(1 <= len(section) <= 32 and section not in sections, f"{name}: section name {section!r}")
        require(512 <= block <= 65536 and block & (block - 1) == 0, f"{name}: block size {block}")
        require(offset == next_offset and offset + length <= at, f"{name}: place of section {section}")
        content = data[offset : offset + length]
        for start in range(0, length, block):
            require(crc32c(content[start : start + block]) == entries.uint(4), f"{name}: {section}: block {start // block}")
        sections[section] = content
        next_offset = offset + length
    entries.end()
    require(next_offset == at, f"{name}: bytes between sections and directory")
    return sections


# §10: manifest


def read_manifest(folder):
    names = [re.fullmatch(r"manifest-([1-9][0-9]*)\.json", name) for name in os.listdir(folder)]
    version = max((int(match[1]) for match in names if match), default=0)
    require(version > 0, "there is no manifest")
    with open(os.path.join(folder, f"manifest-{version}.json"), "rb") as file:
        data = file.read()
    return parse_manifest(data, version)


def parse_manifest(data, version):
    tail = re.fullmatch(rb',\n "crc32c": "([0-9a-f]{8})"\n\}\n', data[-26:])
    require(tail and crc32c(data[:-26]) == int(tail[1], 16), "manifest: CRC")
    manifest = json.loads(data)
    require(manifest["format"] == "verbatim-index", "manifest: format")
    require(manifest["minimumReaderVersion"] == VERSION, "manifest: needs another format version")
    require(manifest["version"] == version, "manifest: version is not that of the name")
    require(manifest["termUnit"] == "passage" and manifest["level"] in COMPONENTS, "manifest: term unit or level")
    return manifest


# §8: postings


def read_list(cursor):
    """One list without its key: [(unit, value)]."""
    header = cursor.varint()
    count, ones = header >> 1, header & 1
    require(count >= 1, f"{cursor.where}: an empty list")
    if count == 1:
        unit = cursor.varint()
        return [(unit, 1 if ones else cursor.byte())]
    body = Cursor(cursor.take(cursor.varint()), cursor.where)
    runs = -(-count // 128)
    heads, last = [], -1
    if count > 128:
        for _ in range(runs):
            last += body.varint()
            heads.append((last, body.byte(), body.varint()))
    out, unit = [], -1
    for run in range(runs):
        size, begin, units = min(128, count - 128 * run), body.at, []
        for _ in range(size):
            unit += body.varint() + 1
            units.append(unit)
        values = [1] * size if ones else list(body.take(size))
        require(0 not in values, f"{cursor.where}: a value of 0")
        if heads:
            require(heads[run] == (unit, max(values), body.at - begin), f"{cursor.where}: head of run {run}")
        out += zip(units, values)
    body.end()
    return out


def read_postings(postings, fence, where, units, limit):
    """All lists: key -> [(unit, value)]."""
    require(len(fence) % 12 == 0 and fence, f"{where}: fence")
    entries = [struct.unpack_from("<IQ", fence, at) for at in range(0, len(fence), 12)]
    require(entries[-1] == (0xFFFFFFFF, len(postings)) and entries[0][1] == 0, f"{where}: ends of the fence")
    out, before = {}, -1
    for (key, begin), (_, end) in zip(entries, entries[1:]):
        group, lists, size = Cursor(postings[begin:end], where), 0, 0
        while group.at < len(group.data):
            require(lists < 512 and size < 4096, f"{where}: a group that should have been closed")
            gap = group.varint()
            require((gap == 0) == (lists == 0), f"{where}: gap of a key")
            key += gap
            require(before < key < limit, f"{where}: key {key}")
            out[key] = read_list(group)
            require(out[key][-1][0] < units, f"{where}: unit of key {key}")
            before, size, lists = key, group.at, lists + 1
    return out


# Segments


class Segment:
    def __init__(self, folder, manifest, entry):
        self.manifest, self.entry, self.name = manifest, entry, entry["name"]
        self.level = entry.get("level", "full")
        model = manifest["model"]
        self.dense, self.coherency = model["dense"], model["coherency"]
        files, self.files = [], {}
        for file in entry["files"]:
            with open(os.path.join(folder, file["name"]), "rb") as source:
                data = source.read()
            require(len(data) == file["bytes"], f"{file['name']}: size")
            component = file["name"].split(".")[1].split("-")[0]
            files.append(component)
            self.files[component] = read_container(data, file["name"], component, model["passageModelHash"], file["id"])
            if component in SECTIONS:
                found = [section for section in self.files[component] if section in SECTIONS[component]]
                require(found == SECTIONS[component], f"{file['name']}: sections")
        expected = COMPONENTS[self.level]
        require(files in (expected, [*expected, "tombstones"]), f"{self.name}: files of level {self.level}")
        self._passages()
        self._documents()
        self._text()
        self._tombstones()

    def where(self, component):
        return f"{self.name}.{component}"

    def _passages(self):
        columns, count = self.files["passages"], self.entry["passages"]
        names = ["document", "start", "end", "tokens"]
        names += ["start-rows", "end-rows", "units", "ngram-offsets", "phrase-offsets"] if self.level == "full" else ["units", "level"]
        require([section for section in columns if section in names] == names, f"{self.where('passages')}: sections")
        require(("level" in columns) == (self.level != "full"), f"{self.where('passages')}: level")
        self.document = numbers(columns["document"], "I")
        self.start, self.end = numbers(columns["start"], "I"), numbers(columns["end"], "I")
        self.tokens = numbers(columns["tokens"], "H")
        for column in (self.document, self.start, self.end, self.tokens):
            require(len(column) == count, f"{self.where('passages')}: length of a column")
        require(list(self.document) == sorted(self.document), "documents of passages descend")
        require(all(a <= b for a, b in zip(self.start, self.end)), "a passage ends before it begins")
        require(numbers(columns["units"], "I") == tuple(range(count + 1)), "units")
        require(self.entry["units"] == count and sum(self.tokens) == self.entry["tokens"], "counts of the manifest")
        if self.level != "full":
            require(columns["level"] == bytes([["lexical", "thin"].index(self.level)]), "level")
            require(self.entry["startRows"] == self.entry["endRows"] == 0, "rows below level full")
            return
        self.start_rows, self.end_rows = numbers(columns["start-rows"], "I"), numbers(columns["end-rows"], "I")
        self.ngram_offsets, self.phrase_offsets = numbers(columns["ngram-offsets"], "Q"), numbers(columns["phrase-offsets"], "Q")
        totals = (self.entry["startRows"], self.entry["endRows"], len(self.files["ngrams"]["records"]), len(self.files["phrases"]["records"]))
        for column, total in zip((self.start_rows, self.end_rows, self.ngram_offsets, self.phrase_offsets), totals):
            require(len(column) == count + 1 and column[0] == 0 and column[-1] == total, "a running column")
            require(list(column) == sorted(column), "a running column descends")

    def _documents(self):
        file, count = self.files["documents"], self.entry["documents"]
        offsets = numbers(file["offsets"], "Q")
        require(len(offsets) == count + 1 and offsets[0] == 0 and offsets[-1] == len(file["records"]), "record offsets")
        require(len(file["reference"]) <= 4096, f"{self.where('documents')}: reference")
        self.records, self.maps, self.headings = [], [], []
        for number, (begin, end) in enumerate(zip(offsets, offsets[1:])):
            record = Cursor(file["records"][begin:end], f"{self.where('documents')}, record {number}")
            content_hash = record.take(16).hex()
            head = {**json.loads(read_head(record, file["reference"])), "contentHash": content_hash}
            segments, length = record.varint(), record.varint()
            stored = record.take(record.varint())
            headings = read_headings(record)
            record.end()
            packed = stored if len(stored) == length else inflate(stored, length, record.where)
            self.records.append(head)
            self.headings.append(headings)
            self.maps.append(read_map(Cursor(packed, record.where), segments))
            require(head["passages"] == self.document.count(number), f"{record.where}: passages")
        ids, last, seen = file["ids"], b"", set()
        require(len(ids) == 40 * count, "ids")
        for at in range(0, len(ids), 40):
            id_hash, content_hash = ids[at : at + 16], ids[at + 16 : at + 32]
            number, passages = struct.unpack_from("<II", ids, at + 32)
            head = self.records[number]
            require(id_hash >= last and number not in seen, "order of ids")
            require(sha128(utf16(head["id"])) == id_hash, "id hash")
            require(content_hash.hex() == head["contentHash"] and passages == head["passages"], "entry of ids")
            last = id_hash
            seen.add(number)

    def _text(self):
        file, count = self.files["text"], self.entry["documents"]
        firsts = numbers(file["documents"], "I")
        pieces = [struct.unpack_from("<QII", file["pieces"], at) for at in range(0, len(file["pieces"]), 16)]
        require(len(firsts) == count + 1 and firsts[0] == 0 and firsts[-1] == len(pieces) - 1, "pieces of documents")
        require(pieces[-1] == (len(file["bytes"]), 0, 0), "last entry of pieces")
        self.texts = []
        for number in range(count):
            text = b""  # UTF-16LE, so that every offset of the index is two bytes
            for k in range(firsts[number], firsts[number + 1]):
                begin, start, packed = pieces[k]
                length, coding = packed >> 2, packed & 3
                require(start * 2 == len(text) and length <= 24576, "start or length of a piece")
                data = file["bytes"][begin : pieces[k + 1][0]]
                data = inflate(data, length, self.where("text")) if coding & 1 else data
                require(len(data) == length, "length of a piece")
                data = data if coding & 2 else utf16(data.decode("utf-8"))
                require(len(data) <= 2 * 8192, "a piece of more than 8,192 units")
                text += data
            require(len(text) == 2 * self.records[number]["length"], "length of a text")
            self.texts.append(text)
        for number, end in zip(self.document, self.end):
            require(end <= self.records[number]["length"], "a passage outside of its text")
        for number, head in enumerate(self.records):
            computed = content_hash(head["title"], self.texts[number], head["metadata"])
            require(computed == head["contentHash"], f"content hash of {head['id']}: {computed}")

    def _tombstones(self):
        count = self.entry["documents"]
        bits = self.files["tombstones"]["documents"] if "tombstones" in self.files else bytes((count + 7) // 8)
        require(len(bits) == (count + 7) // 8, "length of the bitmap")
        value = int.from_bytes(bits, "little")
        require(value >> count == 0, "bits past the last document")
        self.deleted = [bool(value >> d & 1) for d in range(count)]
        require(sum(self.deleted) == self.entry["deletedDocuments"], "deletedDocuments")
        require(sum(self.deleted[d] for d in self.document) == self.entry["deletedPassages"], "deletedPassages")

    def text(self, document, start=0, end=None):
        data = self.texts[document]
        return data[2 * start : len(data) if end is None else 2 * end].decode("utf-16-le", "surrogatepass")

    def passage_text(self, passage):
        return self.text(self.document[passage], self.start[passage], self.end[passage])

    def steps(self):
        """Steps of start, end and coherency vectors (§6)."""
        data = self.files["phrases"]["steps"]
        d, c = -(-self.dense // GROUP), -(-self.coherency // GROUP)
        require(len(data) == 2 * d + c, "steps")
        require(all(1 <= step <= 64 or step == DROPPED for step in data), "a step")
        return data[:d], data[d : 2 * d], data[2 * d :]

    def stored(self, passage):
        """Rows and n-grams of a passage at level full (§6, §7)."""
        starts = self.start_rows[passage + 1] - self.start_rows[passage]
        ends = self.end_rows[passage + 1] - self.end_rows[passage]
        record = Cursor(
            self.files["phrases"]["records"][self.phrase_offsets[passage] : self.phrase_offsets[passage + 1]],
            f"{self.where('phrases')}, passage {passage}",
        )
        start, end, coherency = self.steps()
        out = {"startPositions": list(record.take(starts)), "endPositions": list(record.take(ends))}
        out["startVectors"] = record.rows(starts, start, self.dense)
        out["startCoherency"] = record.rows(starts, coherency, self.coherency)
        out["endVectors"] = record.rows(ends, end, self.dense)
        out["endCoherency"] = record.rows(ends, coherency, self.coherency)
        record.end()
        tokens = self.tokens[passage]
        for positions in (out["startPositions"], out["endPositions"]):
            require(all(a < b for a, b in zip(positions, positions[1:])), "positions do not ascend")
            require(not positions or positions[-1] < tokens, "a position outside of the input")
        out.update(self._ngrams(passage, starts, ends))
        return out

    def _ngrams(self, passage, starts, ends):
        step = self.files["ngrams"]["step"]
        require(len(step) == 1 and 1 <= step[0] <= 64, "step of n-gram weights")
        record = Cursor(
            self.files["ngrams"]["records"][self.ngram_offsets[passage] : self.ngram_offsets[passage + 1]],
            f"{self.where('ngrams')}, passage {passage}",
        )
        tokens = self.tokens[passage]
        require(tokens <= 256, "an input of more than 256 tokens")
        out = {"firstToken": record.varint(), "ids": list(numbers(record.take(2 * tokens), "H"))}
        require(all(i < self.manifest["model"]["vocabularySize"] for i in out["ids"]), "an id outside of the vocabulary")
        for name, rows in (("startUnigrams", starts), ("startBigrams", starts), ("endUnigrams", ends), ("endBigrams", ends)):
            out[name] = ngram_list(record, rows, tokens, step[0])
        record.end()
        return out

    def vectors(self):
        """One vector per passage (§6.2)."""
        rows, width = self.files["vectors"]["rows"], self.manifest["model"]["vector"]
        require(len(rows) == self.entry["passages"] * width, "length of the vectors")
        values = numbers(rows, "b")
        return [list(values[at * width : (at + 1) * width]) for at in range(self.entry["passages"])]

    def terms(self):
        file = self.files["terms"]
        return read_postings(file["postings"], file["fence"], self.where("terms"), self.entry["passages"], self.manifest["model"]["vocabularySize"])

    def tfidf(self):
        file = self.files["tfidf"]
        return read_postings(file["passages.postings"], file["passages.fence"], self.where("tfidf"), self.entry["passages"], 1 << 24)

    def norms(self):
        file = self.files["tfidf"]
        documents, passages = numbers(file["documents.norms"], "f"), numbers(file["passages.norms"], "f")
        require(len(documents) == self.entry["documents"] and len(passages) == self.entry["passages"], "norms")
        return documents, passages


def ngram_list(record, rows, tokens, step):
    """[(position, weight), …] of each row (§7)."""
    out = [[] for _ in range(rows)]
    width = record.byte()
    require(width <= 8, "bits of a weight")
    if width == 0:
        return out
    stream = BitStream(record)
    used = [token for token in range(tokens) if stream.read(1) == 1] if tokens else []
    for token in used:
        count = stream.read(max(0, rows - 1).bit_length()) + 1
        low, least, spread = stream.read(3), stream.read(width), stream.read(width.bit_length())
        require(spread <= 8, "bits of a weight's difference")
        row, places = -1, []
        for _ in range(count):
            quotient = 0
            while stream.read(1) == 0:
                quotient += 1
            row += (quotient << low | stream.read(low)) + 1
            require(row < rows, "a row of an n-gram")
            places.append(row)
        for row in places:
            out[row].append((token, min(255, (least + stream.read(spread)) * step)))
    stream.end()
    return out


def read_head(record, reference):
    """Bytes of its own and copies from the reference, in turn (§3)."""
    length, head = record.varint(), b""
    while len(head) < length:
        head += record.take(record.varint())
        if len(head) < length:
            place, count = record.varint(), record.varint()
            require(count > 0 and place + count <= len(reference), f"{record.where}: a copy")
            head += reference[place : place + count]
    require(len(head) == length, f"{record.where}: length of the head")
    return head


def read_headings(cursor):
    """The headings of a document (§3)."""
    headings, start = [], 0
    for _ in range(cursor.varint()):
        start += cursor.varint()
        length, level = cursor.varint(), cursor.varint()
        headings.append({"start": start, "end": start + length, "level": level})
    return headings


def read_map(cursor, count):
    """The map of a document: a list of segments (§3)."""
    flags = cursor.take(count)
    segments, start = [{} for _ in range(count)], 0
    for segment, flag in zip(segments, flags):
        start += cursor.varint()
        segment["start"] = start
        if flag & 2:
            segment["linear"] = bool(flag & 4)
    for key, bit in (("line", 1), ("page", 8), ("byte", 16)):
        value = 0
        for segment, flag in zip(segments, flags):
            if flag & bit:
                value += cursor.zigzag()
                segment[key] = value
    path = b""
    for segment, flag in zip(segments, flags):
        if flag & 32:
            path = path[: cursor.varint()] + cursor.take(cursor.varint())
            segment["path"] = path.decode("utf-8")
    cursor.end()
    return segments


def content_hash(title, text, metadata):
    """§11. `text` in UTF-16LE; JSON numbers are written as ECMAScript does (RFC 8785)."""
    kept = {key: value for key, value in metadata.items() if key not in ("file.modified", "file.extension", "file.folder")}
    ordered = sorted(kept, key=utf16_units)
    written = "{" + ",".join(f"{json_text(key)}:{json_text(kept[key])}" for key in ordered) + "}"
    hashed = hashlib.sha256(utf16("verbatim-document-1"))
    for part in (utf16(title), text, utf16(written)):
        hashed.update(struct.pack("<I", len(part) // 2) + part)
    return hashed.digest()[:16].hex()


def utf16_units(text):
    return struct.unpack(f"<{len(utf16(text)) // 2}H", utf16(text))


def json_text(value):
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, str):
        written = json.dumps(value, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", written)
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value)


def number_text(value):
    """A number as ECMAScript's Number::toString writes it."""
    if isinstance(value, int) and abs(value) < 10**21:
        return str(value)
    value = float(value)
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    digits = mantissa.replace("-", "").replace(".", "")
    point = len(mantissa.replace("-", "").split(".")[0]) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    sign = "-" if value < 0 else ""
    if 0 < point <= 21:
        return sign + (digits[:point].ljust(point, "0") + ("." + digits[point:] if len(digits) > point else ""))
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


class Index:
    """All segments of the newest version of an index, checked against its manifest."""

    def __init__(self, folder):
        self.manifest = read_manifest(folder)
        self.segments = [Segment(folder, self.manifest, entry) for entry in self.manifest["segments"]]
        totals = self.manifest["totals"]
        require(totals["documents"] == sum(s.deleted.count(False) for s in self.segments), "totals.documents")
        live = sum(not s.deleted[d] for s in self.segments for d in s.document)
        require(totals["passages"] == live, "totals.passages")
        require(totals["bytes"] == sum(f["bytes"] for e in self.manifest["segments"] for f in e["files"]), "totals.bytes")
