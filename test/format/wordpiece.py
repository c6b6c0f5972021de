"""WordPiece as of docs/index-format.md §7.1: text to the token ids that an index stores."""

import unicodedata


def is_ideograph(code):
    blocks = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F))
    return any(first <= code <= last for first, last in blocks)


def is_punctuation(character):
    code = ord(character)
    ascii_symbol = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return ascii_symbol or unicodedata.category(character).startswith("P")


class WordPiece:
    def __init__(self, vocabulary):
        self.ids = {entry: number for number, entry in enumerate(vocabulary)}

    def words(self, text):
        """(characters, start, end) of each word after normalisation; offsets in code points."""
        word, places = "", []
        for at, character in enumerate(text):
            category = unicodedata.category(character)
            if character in "\t\n\r" or category in ("Zs", "Zl", "Zp"):
                if word:
                    yield word, places
                word, places = "", []
                continue
            if category in ("Cc", "Cf", "Co", "Cs") or character == "\ufffd":
                continue
            for part in unicodedata.normalize("NFD", character):
                if unicodedata.category(part) == "Mn":
                    continue
                for piece in part.lower():
                    if is_ideograph(ord(character)) or is_punctuation(piece):
                        if word:
                            yield word, places
                        yield piece, [at]
                        word, places = "", []
                    else:
                        word += piece
                        places = [*places, at]
        if word:
            yield word, places

    def tokenize(self, text):
        """[(id, start, end)], offsets in code points."""
        out = []
        for word, places in self.words(text):
            pieces, at = [], 0
            while at < len(word) and len(word) <= 100:
                prefix = "##" if at else ""
                end = next((e for e in range(len(word), at, -1) if prefix + word[at:e] in self.ids), None)
                if end is None:
                    break
                pieces.append((self.ids[prefix + word[at:end]], places[at], places[end - 1] + 1))
                at = end
            out += pieces if at == len(word) and pieces else [(self.ids["[UNK]"], places[0], places[-1] + 1)]
        return out
