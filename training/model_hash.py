"""The hashes in a model.json: of its files, and of everything that decides a passage's encoding."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

LIMITS = ("maxInputTokens", "maxTitleTokens", "maxQuestionTokens", "ngramsPerRow", "bigramsPerRow", "termsPerUnit")


def file_facts(path: Path) -> dict:
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def passage_hash(info: dict) -> str:
    """SHA-256 of the graphs' and the vocabulary's hashes, shapes, scales, filter, limits and term lists of a model.json."""
    vocabulary = next(name for name in info["files"] if name.startswith("vocab."))
    files = [info["files"][name]["sha256"] for name in ("encoder.onnx", "terms.onnx", vocabulary)]
    decisive = {
        "shape": {name: info[name] for name in ("dense", "coherency", "vector")},
        "scales": info["scales"],
        "filter": info["filter"],
        "limits": {name: info[name] for name in LIMITS},
        "termStop": info["termStop"],
    }
    if "termGroups" in info:
        decisive["termGroups"] = info["termGroups"]
    return hashlib.sha256(json.dumps([*files, decisive], sort_keys=True).encode()).hexdigest()
