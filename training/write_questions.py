"""Writes questions for passages of unlabelled documents: a source of answer candidates, the
question writer, one line per question.

    python write_questions.py --writer work/writer/model.pt --documents plain-other.jsonl.xz --kind other --count 150000 --out work/written-other.jsonl

Lines: {id, kind, question, title, text, answer, start, candidate, score}; `start` is the answer's
first character in `text`, `candidate` the rule that proposed it, `score` the mean log-probability
of the question. round_trip.py decides which are kept. Documents are read in an order drawn by the
seed; a call with the same --out continues after the last document that it finds there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import torch

from answer_candidates import passages, pick
from data import answer_span, build_paragraph
from text_base import load_tokenizer
from data_rules import RESERVED_SETS, ReservedData, require, stem
from model import half, restore
from run import machine_arguments, use_machine
from search_pairs import lines
from writer_data import Source, source
from writer_model import Writer, draw

BATCH = 48  # sources of one length that are read together
POOL = 3000  # sources that are collected before they are grouped by length


def sources(documents: list[dict], kind: str, each: int, size: int, rng: random.Random) -> Iterator[tuple[dict, Source]]:
    """What is written about: (line to be completed, source) for `each` candidates of a passage."""
    tokenizer = load_tokenizer()
    for document in documents:
        for number, (title, text) in enumerate(passages(document["title"], document["text"])):
            paragraph = build_paragraph(tokenizer, 0, title, text, 400)
            for candidate, start, end in pick(text, each, rng):
                span = answer_span(paragraph, start, text[start:end])
                if span[0] < 0 or (found := source(paragraph, *span, size, rng)) is None:
                    continue
                name = hashlib.sha256(f"{kind}:{document['id']}:{number}:{start}".encode()).hexdigest()[:12]
                yield {"id": f"{kind}-{name}", "kind": kind, "title": title, "text": text, "answer": text[start:end], "start": start, "candidate": candidate}, found


def write(writer: Writer, given: list[tuple[dict, Source]], tokenizer, generator: torch.Generator, bf16: bool) -> Iterator[dict]:
    """The lines with `question` and `score`; sources of one length are read together."""
    by_length: dict[int, list[tuple[dict, Source]]] = defaultdict(list)
    for one in given:
        by_length[len(one[1].paragraph.ids)].append(one)
    for some in by_length.values():
        for at in range(0, len(some), BATCH):
            batch = some[at : at + BATCH]
            ids = torch.stack([torch.as_tensor(s.paragraph.ids) for _, s in batch])
            kinds = torch.stack([torch.as_tensor(s.kinds) for _, s in batch])
            with half(bf16):
                drawn = draw(writer, ids, kinds, 32, 0.9, 0.7, generator)
            for (line, _), (tokens, score) in zip(batch, drawn):
                question = tokenizer.decode(tokens)
                if len(tokens) >= 3 and line["answer"].lower() not in question.lower():
                    yield {**line, "question": question, "score": round(score, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--writer", "--documents", "--kind", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--each", type=int, default=2, help="candidates of a passage")
    parser.add_argument("--seed", type=int, default=59)
    parser.add_argument("--bf16", action="store_true")
    machine_arguments(parser)
    args = parser.parse_args()
    use_machine(args)
    require(args.documents, "train")
    if stem(args.documents) in RESERVED_SETS:
        raise ReservedData(f"{args.documents} is partly reserved for measuring; questions are written for unlabelled documents only")
    documents = list(lines(args.documents))
    random.Random(args.seed).shuffle(documents)
    out = Path(args.out)
    state = out.with_suffix(".state")
    at, count = json.loads(state.read_text()) if out.exists() and state.exists() else (0, 0)
    writer, _ = restore(Path(args.writer), Writer)
    writer.eval()
    tokenizer, generator = load_tokenizer(), torch.Generator()
    with out.open("a" if at else "w", encoding="utf-8") as file:
        while at < len(documents) and count < args.count:
            rng, pool, first = random.Random(f"{args.seed}:{at}"), [], at
            while at < len(documents) and len(pool) < POOL:
                pool += sources(documents[at : at + 1], args.kind, args.each, 128, rng)
                at += 1
            generator.manual_seed(args.seed * 1_000_003 + first)
            for line in write(writer, pool, tokenizer, generator, args.bf16):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                count += 1
            file.flush()
            state.write_text(json.dumps([at, count]))
            print(f"{count} questions from {at} of {len(documents)} documents", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
