"""Which documents of the written questions are held out of training, in every set that has them."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

HELD_OUT = 0.2  # of the documents
DEVELOPMENT = Path(__file__).parent.parent / "bench" / "development" / "manual-questions.jsonl"


@cache
def asked_in_development() -> set[str]:
    """Documents that the development mix asks about."""
    return {json.loads(line)["document"] for line in DEVELOPMENT.read_text(encoding="utf-8").splitlines()}


def in_share(document: str, share: float) -> bool:
    """Whether a document's hash is in the lowest `share` (0 to 1) of all hashes."""
    return int(hashlib.sha256(f"written {document}".encode()).hexdigest()[:8], 16) < share * 2**32


def held_out(document: str) -> bool:
    """@param document  as draw_passages.documents names it"""
    return document in asked_in_development() or in_share(document, HELD_OUT)
