"""usearch on the rows that bench/dense-peers.ts wrote: one JSON line per setting (queries one by one, one thread).

    python usearch_scan.py FOLDER DIM K

FOLDER as for faiss_scan.py. Bytes per row are those of the saved index. One thread, except for building.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import usearch
from nearest_form import nearest_form
from usearch.index import Index

folder, dim, k = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rows = np.fromfile(folder / "rows.i8", np.int8).reshape(-1, dim)
queries = np.fromfile(folder / "queries.i16", np.int16).reshape(-1, dim).astype(np.float32)
rows, queries = nearest_form(rows, queries)
best = np.fromfile(folder / "best.u32", np.uint32).reshape(-1, k)

began = time.perf_counter()
index = Index(ndim=dim + 1, metric="l2sq", dtype="f16", connectivity=16)
index.add(np.arange(len(rows), dtype=np.uint64), rows, threads=os.cpu_count())
build_seconds = time.perf_counter() - began
size = index.serialized_length / len(rows)
for ef in (100, 150, 200, 300, 400, 800):
    index.expansion_search = ef
    for query in queries[:10]:
        index.search(query, k, threads=1)
    times, found = [], 0
    for query, right in zip(queries, best):
        began = time.perf_counter()
        matches = index.search(query, k, threads=1)
        times.append(time.perf_counter() - began)
        found += len(np.intersect1d(matches.keys, right))
    figures = {"msP50": 1000 * float(np.median(times)), "recall": found / best.size, "bytesPerRow": size, "buildSeconds": build_seconds}
    print(json.dumps({"engine": f"usearch {usearch.__version__} HNSW16,f16", "ef": ef, **figures}), flush=True)
