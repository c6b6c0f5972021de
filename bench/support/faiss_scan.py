"""faiss on the rows that bench/dense-peers.ts wrote: one JSON line an index and setting (queries one by one, one thread).

    python faiss_scan.py FOLDER DIM K

FOLDER: rows.i8 [N × DIM], queries.i16 [Q × DIM], best.u32 [Q × K], the numbers of the best rows by an exact scan. Inner product throughout.
"""

import json
import sys
import time
from pathlib import Path

import faiss
import numpy as np

folder, dim, k = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
faiss.omp_set_num_threads(1)
rows = np.fromfile(folder / "rows.i8", np.int8).reshape(-1, dim).astype(np.float32)
queries = np.fromfile(folder / "queries.i16", np.int16).reshape(-1, dim).astype(np.float32)
best = np.fromfile(folder / "best.u32", np.uint32).reshape(-1, k)


def measure(name: str, index, bytes_a_row: float, build_seconds: float, **setting) -> None:
    for query in queries[:10]:
        index.search(query[None], k)
    times, found = [], 0
    for query, right in zip(queries, best):
        began = time.perf_counter()
        _, rows_found = index.search(query[None], k)
        times.append(time.perf_counter() - began)
        found += len(np.intersect1d(rows_found[0], right))
    figures = {"msP50": 1000 * float(np.median(times)), "recall": found / best.size, "bytesARow": bytes_a_row, "buildSeconds": build_seconds}
    print(json.dumps({"engine": f"faiss {faiss.__version__} {name}", **setting, **figures}), flush=True)


def built(description: str):
    """@returns index with all rows in it, and the seconds that this took"""
    began = time.perf_counter()
    index = faiss.index_factory(dim, description, faiss.METRIC_INNER_PRODUCT)
    if not index.is_trained:
        index.train(rows[np.random.default_rng(1).permutation(len(rows))[:100_000]])
    index.add(rows)
    return index, time.perf_counter() - began


flat, seconds = built("Flat")
measure("Flat", flat, 4 * dim, seconds)
del flat
for description, size in (("IVF1024,SQ8", dim), (f"IVF1024,PQ{dim // 2}", dim // 2)):
    index, seconds = built(description)
    for nprobe in (16, 32, 36, 48, 64, 128):
        index.nprobe = nprobe
        measure(description, index, size + 8, seconds, nprobe=nprobe)
