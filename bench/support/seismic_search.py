"""Seismic on the term weights that bench/retrieval.ts wrote: one JSON line per build and setting, questions one by one, one thread.

    python seismic_search.py FOLDER K

FOLDER: offsets.u32 [N + 1], terms.u16 and impacts.u8 of every unit, queries.txt (term^weight …). Every question is asked once before the clock runs. The file that the
line names has what was found, K per question (u32, 2³² − 1 where there were fewer).
"""

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import seismic

lines = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # Seismic prints its progress to standard output
folder, k = Path(sys.argv[1]), int(sys.argv[2])
offsets = np.fromfile(folder / "offsets.u32", np.uint32).astype(np.int64)
terms = np.fromfile(folder / "terms.u16", np.uint16).astype(np.int64)
impacts = np.fromfile(folder / "impacts.u8", np.uint8).astype(np.float32)
string = seismic.get_seismic_string()
queries = []
for line in (folder / "queries.txt").read_text().splitlines():
    pairs = [part.split("^") for part in line.split()]
    queries.append((np.array([term for term, _ in pairs], string), np.array([weight for _, weight in pairs], np.float32)))

dataset = seismic.SeismicDataset(int(terms.max()) + 1)
dataset.add_documents_by_id([str(n) for n in range(len(offsets) - 1)], terms, impacts, offsets)


def measure(index, about: dict, **setting) -> None:
    found = np.full((len(queries), k), 0xFFFFFFFF, np.uint32)
    times = np.zeros(len(queries))
    for _ in range(2):
        for n, (ids, weights) in enumerate(queries):
            began = time.perf_counter()
            hits = index.search("q", ids, weights, k=k, **setting)
            times[n] = time.perf_counter() - began
            found[n, : len(hits)] = [int(hit[2]) for hit in hits]
    name = f"found-seismic-{'-'.join(str(value) for value in [*about.values(), *setting.values()])}.u32"
    found.tofile(folder / name)
    p50, p99 = (1000 * float(np.quantile(times, share)) for share in (0.5, 0.99))
    shown = ", ".join(f"{key} {value}" for key, value in {**about, **setting}.items())
    figures = {"msP50": p50, "msP99": p99, "buildSeconds": seconds, "found": name}
    print(json.dumps({"engine": f"Seismic {version('pyseismic-lsr')}", "setting": shown, **figures}), file=lines, flush=True)


for postings, energy in ((4000, 0.4), (20000, 0.6)):
    began = time.perf_counter()
    index = seismic.SeismicIndex.build_from_dataset(dataset, n_postings=postings, summary_energy=energy, num_threads=1)
    seconds = time.perf_counter() - began
    for cut, heap in ((5, 0.7), (10, 0.7), (10, 0.9), (20, 0.8), (20, 0.9), (40, 0.9), (40, 1.0)):
        measure(index, {"n_postings": postings, "summary_energy": energy}, query_cut=cut, heap_factor=heap)
