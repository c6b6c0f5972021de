"""Text in thirteen languages from Debian's translated manuals and from the corpora in the data
folder, to choose a vocabulary with and to measure it on.

    python multilingual_text.py --data DATA_FOLDER --out work/text

Downloads the packages with apt (`apt-get update` first) and unpacks them below OUT/packages without
installing anything. Writes OUT/LANGUAGE.jsonl, one file of a package or article per line:
{"source": "manpages-de/…/ls.1.gz", "half": "choose" | "measure", "text": …}. A file belongs to one
half by the hash of its source, so no file serves both.
"""

from __future__ import annotations

import argparse
import gettext
import gzip
import hashlib
import html
import json
import lzma
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from base import BaseError

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ko", "ar")
PACKAGES = {
    "en": ["debian-reference-en", "debian-faq"],
    "de": ["manpages-de", "debian-reference-de", "libreoffice-help-de", "fortunes-de"],
    "fr": ["manpages-fr", "debian-reference-fr", "libreoffice-help-fr"],
    "es": ["manpages-es", "debian-reference-es", "libreoffice-help-es", "fortunes-es"],
    "it": ["manpages-it", "debian-reference-it", "libreoffice-help-it", "fortunes-it"],
    "pt": ["debian-reference-pt", "libreoffice-help-pt", "gimp-help-pt", "fortunes-br"],
    "nl": ["manpages-nl", "debian-faq-nl", "libreoffice-help-nl", "gimp-help-nl"],
    "pl": ["manpages-pl", "libreoffice-help-pl", "fortunes-pl"],
    "ru": ["manpages-ru", "debian-faq-ru", "libreoffice-help-ru", "fortunes-ru"],
    "zh": ["manpages-zh", "debian-reference-zh-cn", "debian-reference-zh-tw", "libreoffice-help-zh-tw"],
    "ja": ["manpages-ja", "debian-reference-ja", "libreoffice-help-ja"],
    "ko": ["debian-faq-ko", "libreoffice-help-ko", "gimp-help-ko"],
    "ar": ["libreoffice-l10n-ar"],
}
# Packages with a folder per language, and the names of their folders.
SHARED = ("debian-handbook", "installation-guide-amd64", "gnome-user-docs")
FOLDERS = {
    "en": ["en-US", "C"], "pt": ["pt", "pt-BR", "pt_BR"], "zh": ["zh-CN", "zh-TW", "zh_CN", "zh_TW"], "ar": ["ar", "ar-MA"],
    "de": ["de", "de-DE"], "fr": ["fr", "fr-FR"], "es": ["es", "es-ES"], "it": ["it", "it-IT"], "nl": ["nl", "nl-NL"],
    "pl": ["pl", "pl-PL"], "ru": ["ru", "ru-RU"], "ja": ["ja", "ja-JP"], "ko": ["ko", "ko-KR"],
}
CORPORA = {"en": "corpora/simplewiki-2017.jsonl.xz", "zh": "corpora/zhwiki.jsonl.xz"}
SQUAD_LIKE = {"fr": "other/piaf-fr.json.xz"}
CORPUS_CHARACTERS = 6_000_000
FILES_PER_PACKAGE = 900
MIN_PARAGRAPH = 20

SCRIPTS = {"ru": "\u0400-\u04ff", "zh": "\u4e00-\u9fff", "ja": "\u3040-\u30ff\u4e00-\u9fff", "ko": "\uac00-\ud7a3", "ar": "\u0600-\u06ff"}
# Frequent words that few other languages have: a paragraph of a partly translated manual counts
# for a language only if it has more of that language's words than of English.
WORDS = {
    "en": "the of and is in this that for with are you be not it can from which",
    "de": "der die das und ist nicht mit für ein eine werden wird von zu auf den dem sie",
    "fr": "le la les des est une dans pour que qui pas avec sur par vous cette sont du",
    "es": "el la los las es una para que con por se del como este esta si son más",
    "it": "il la che di è per una non con del della sono gli questo dei nel si le",
    "pt": "o os as que para uma não com um por é do da em se são este ou no na",
    "nl": "de het een van en is dat niet voor met op zijn wordt u om te bij als dit",
    "pl": "i w z na do nie jest się to że dla lub przez jako od po może są które",
}
TOKEN = re.compile(r"[^\W\d_]+")


def half_of(source: str) -> str:
    return "choose" if hashlib.sha256(source.encode()).digest()[0] < 128 else "measure"


def is_language(paragraph: str, language: str) -> bool:
    """Whether a paragraph is in the language, by its script or its frequent words."""
    if language in SCRIPTS:
        letters = len(TOKEN.sub("", paragraph)) < len(paragraph) and sum(map(len, TOKEN.findall(paragraph)))
        own = len(re.findall(f"[{SCRIPTS[language]}]", paragraph))
        if language == "zh" and re.search("[\u3040-\u30ff]", paragraph):
            return False
        if language == "ja" and not re.search("[\u3040-\u30ff]", paragraph):
            return False
        return own > 0.5 * letters
    words = [word.lower() for word in TOKEN.findall(paragraph)]
    counts = {name: sum(word in listed for word in words) for name, listed in WORD_SETS.items()}
    best = max(counts.values())
    return best > 0 and counts[language] == best and (language == "en" or counts["en"] < best)


WORD_SETS = {language: set(words.split()) for language, words in WORDS.items()}


def from_html(text: str) -> str:
    """Text of HTML or Mallard XML: code and scripts left out, a line per block."""
    text = re.sub(r"(?is)<(script|style|pre|code|head|screen)\b.*?</\1>", " ", text)
    text = re.sub(r"(?i)</?(p|div|li|td|th|tr|h\d|title|dt|dd|br|item|section)\b[^>]*>", "\n", text)
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def from_man(text: str) -> str:
    """Text of a manual page: comments, requests and escapes left out, paragraphs joined."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith((".", "'")):
            if line.startswith((".B ", ".I ", ".BR ", ".IR ")):
                lines.append(line[3:].strip().replace('"', ""))
            else:
                lines.append("\n")
        else:
            lines.append(line)
    joined = re.sub(r" *\n *", "\n", " ".join(lines))
    return re.sub(r"\\f.|\\[&%/,|~:]|\\\([a-z]{2}|\\\"", "", joined).replace("\\-", "-")


def read_text(path: Path) -> str | None:
    """The text of a file of a package; None for a kind that is not read."""
    name = path.name
    if name.endswith(".mo"):
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        return "\n".join(value.replace("~", "") for key, value in catalogue.items() if key and isinstance(value, str))
    raw = gzip.open(path).read() if name.endswith(".gz") else path.read_bytes()
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text:
        return None
    if name.endswith((".html", ".htm", ".html.gz", ".page", ".htm.gz")):
        return from_html(text)
    if re.search(r"\.\d\w*\.gz$", name):
        return from_man(text)
    if "/fortunes/" in str(path) and "." not in name:
        return text.replace("\n%\n", "\n\n")
    return None


def paragraphs(text: str, language: str) -> list[str]:
    lines = (re.sub(r"\s+", " ", line).strip() for line in re.split(r"\n+", text))
    return [line for line in lines if len(line) >= MIN_PARAGRAPH and is_language(line, language)]


def download(package: str, to: Path) -> Path:
    """Folder with the unpacked files of a Debian package."""
    folder = to / package
    if folder.exists():
        return folder
    to.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(["apt-get", "download", "-q", package], cwd=to, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise BaseError("apt-get is not here. Run this on Debian, or copy OUT from a machine that has it.") from error
    archives = sorted(to.glob(f"{package}_*.deb"))
    if done.returncode != 0 or not archives:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BaseError(f"apt-get cannot download {package}: {reason}. Run apt-get update and try again.")
    unpacking = to / f"{package}.tmp"
    subprocess.run(["dpkg-deb", "-x", str(archives[-1]), str(unpacking)], check=True)
    unpacking.rename(folder)
    return folder


def manuals(language: str, to: Path) -> Iterator[tuple[str, str]]:
    """(source, text) of the files of the language's packages."""
    for package in (*PACKAGES[language], *SHARED):
        folder = download(package, to)
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        if package in SHARED:
            files = [path for path in files if set(path.relative_to(folder).parts) & set(FOLDERS[language])]
        files.sort(key=lambda path: hashlib.sha256(str(path.relative_to(folder)).encode()).digest())
        taken = 0
        for path in files:
            source = f"{package}/{path.relative_to(folder)}"
            text = read_text(path)
            if text is None or taken == FILES_PER_PACKAGE:
                continue
            if kept := "\n".join(paragraphs(text, language)):
                taken += 1
                yield source, kept


def articles(language: str, data: Path) -> Iterator[tuple[str, str]]:
    """(source, text) of the corpora in the data folder, the first CORPUS_CHARACTERS of each."""
    count = 0
    if language in CORPORA:
        with lzma.open(data / CORPORA[language], "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if number % 4 != 0:
                    continue
                text = json.loads(line)["text"]
                yield f"{CORPORA[language]}/{number}", text
                if (count := count + len(text)) >= CORPUS_CHARACTERS:
                    return
    if language in SQUAD_LIKE:
        for article in json.loads(lzma.open(data / SQUAD_LIKE[language]).read())["data"]:
            yield f"{SQUAD_LIKE[language]}/{article.get('title')}", "\n".join(p["context"] for p in article["paragraphs"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=LANGUAGES, help="default: all thirteen")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    try:
        for language in args.languages:
            sizes = {"choose": 0, "measure": 0}
            with (args.out / f"{language}.jsonl.tmp").open("w", encoding="utf-8") as file:
                for source, text in (*manuals(language, args.out / "packages"), *articles(language, args.data)):
                    half = half_of(source)
                    sizes[half] += len(text)
                    file.write(json.dumps({"source": source, "half": half, "text": text}, ensure_ascii=False) + "\n")
            (args.out / f"{language}.jsonl.tmp").rename(args.out / f"{language}.jsonl")
            print(language, json.dumps(sizes), flush=True)
    except (BaseError, OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
