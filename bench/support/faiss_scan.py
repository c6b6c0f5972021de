"""faiss on the rows that bench/dense-peers.ts wrote: one JSON line per index and setting (queries one by one, one thread).

    python faiss_scan.py FOLDER DIM K [graphs]

FOLDER: rows.i8 [N × DIM], queries.i16 [Q × DIM], best.u32 [Q × K], the numbers of the best rows by an exact scan. Inner product throughout. Bytes per row are
those of the saved index. The file that a line names has the numbers of the rows found, K per query (u32). One thread throughout, except for building
graphs. `graphs`: HNSW too, which takes minutes to build for millions of rows.
"""

import itertools
import json
import os
import sys
import time
from pathlib import Path

import faiss
import numpy as np

from nearest_form import nearest_form

folder, dim, k, graphs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "graphs" in sys.argv[4:]
faiss.omp_set_num_threads(1)
rows = np.fromfile(folder / "rows.i8", np.int8).reshape(-1, dim).astype(np.float32)
queries = np.fromfile(folder / "queries.i16", np.int16).reshape(-1, dim).astype(np.float32)
best = np.fromfile(folder / "best.u32", np.uint32).reshape(-1, k)

numbers = itertools.count()


def measure(name: str, index, bytes_per_row: float, build_seconds: float, **setting) -> None:
    for query in queries[:10]:
        index.search(query[None], k)
    times, found, file = [], [], f"found-faiss-{next(numbers)}.u32"
    for query in queries:
        began = time.perf_counter()
        _, rows_found = index.search(query[None], k)
        times.append(time.perf_counter() - began)
        found.append(rows_found[0].astype(np.uint32))
    (folder / file).write_bytes(np.concatenate(found).tobytes())
    right_ones = sum(len(np.intersect1d(own, right)) for own, right in zip(found, best))
    figures = {"msP50": 1000 * float(np.median(times)), "recall": right_ones / best.size, "found": file, "bytesPerRow": bytes_per_row, "buildSeconds": build_seconds}
    print(json.dumps({"engine": f"faiss {faiss.__version__} {name}", **setting, **figures}), flush=True)


def built(description: str, rows: np.ndarray, metric=faiss.METRIC_INNER_PRODUCT):
    """@returns index with all rows in it, the bytes of a row in it, and the seconds that this took"""
    began = time.perf_counter()
    index = faiss.index_factory(rows.shape[1], description, metric)
    if not index.is_trained:
        index.train(rows[np.random.default_rng(1).permutation(len(rows))[:100_000]])
    index.add(rows)
    seconds = time.perf_counter() - began
    return index, len(faiss.serialize_index(index)) / len(rows), seconds


index, size, seconds = built("Flat", rows)
measure("Flat", index, size, seconds)
LISTS = 1024  # fewer rows than that cannot be clustered
for description in (f"IVF{LISTS},SQ8", f"IVF{LISTS},PQ{dim // 2}") if len(rows) >= LISTS else ():
    index, size, seconds = built(description, rows)
    for nprobe in (16, 32, 36, 48, 64, 128):
        index.nprobe = nprobe
        measure(description, index, size, seconds, nprobe=nprobe)
if graphs:
    faiss.omp_set_num_threads(os.cpu_count())
    rows, queries = nearest_form(rows, queries)
    index, size, seconds = built("HNSW16,SQ8", rows, faiss.METRIC_L2)
    faiss.omp_set_num_threads(1)
    for ef in (100, 150, 200, 300, 400, 800):
        index.hnsw.efSearch = ef
        measure("HNSW16,SQ8", index, size, seconds, ef=ef)
