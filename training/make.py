"""Trains both English models from SQuAD's training file and sets of other kinds. Stages that are done are skipped.

    python make.py --data train-v1.1.json --kinds DATA_FOLDER --device cuda   # can be interrupted and called again
    python make.py --data train-v1.1.json --kinds DATA_FOLDER --dry-run       # prints the commands

Three stages want a GPU: teacher-mpnet and reader-large-fifth, which run MPNet, and encoder-long. They take
minutes on one H100, but days on two cores, where MPNet trains at 280 tokens/s. The other stages take
about 22 hours on two cores.
--device is passed to the stages that train or label with PyTorch.

Everything is written to work/, which the configs name. Held-out articles, seeds and lengths are those of
runs/*.json. Most readers before
teacher-mpnet, and encoder-kinds, train for a number of minutes, so how many steps they take depends
on the machine. To get about as many as the models that ship, run them on the processor: call make.py
without --device, stop it when teacher-mpnet begins, and call it again with --device. Training resumes
from its last checkpoint; other stages start over. The TypeScript stages need a built project
(`npm run build`). Writes ../models/verbatim-en and ../models/verbatim-reader-en.

The interpolation and both confidences are fitted on the development set
(../bench/development/build.py: 1,641 questions with an answer, 749 without). The models that ship
differ in four ways:

- The interpolation was tuned on 600 of these questions.
- The last run of the reader and that of the encoder started from the weights of the int8 graphs that
  shipped before them.
- reader-large-fifth shared its GPU with three other runs, and encoder-long with two.
- The reader and the first stages of the encoder were trained before held_out_documents.py applied to
  sets other than the written questions.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
WORK = HERE / "work"  # checkpoints and intermediate files

# name, working folder, command; DATA, KINDS, WORK and PYTHON are replaced.
STAGES = (
    ("held-out", ".", "PYTHON held_out.py --config runs/third.json --data DATA --out WORK/held-out.json --rest WORK/train.json --questions WORK/asked.jsonl"),
    ("reader", ".", "PYTHON reader.py --config runs/reader.json --data DATA --out WORK/reader --resume"),
    ("teacher", ".", "PYTHON teacher.py --reader WORK/reader/model.pt --config runs/distilled.json --data DATA --out WORK/teacher"),
    ("distilled", ".", "PYTHON train.py --config runs/distilled.json --data DATA --out WORK/distilled --teacher WORK/teacher --resume"),
    ("second", ".", "PYTHON train.py --config runs/second.json --data DATA --out WORK/second --start WORK/distilled/model.pt --teacher WORK/teacher --resume"),
    ("reader-second", ".", "PYTHON reader.py --config runs/reader-second.json --data DATA --out WORK/reader-second --start WORK/reader/model.pt --resume"),
    ("reader-average", ".", "PYTHON average.py WORK/reader/model.pt WORK/reader-second/model.pt --out WORK/reader-average"),
    ("teacher-average", ".", "PYTHON teacher.py --reader WORK/reader-average/model.pt --config runs/third.json --data DATA --out WORK/teacher-average"),
    ("second-model", ".", "PYTHON export.py --checkpoint WORK/second/model.pt --data DATA --about about.json --out WORK/second-model"),
    ("second-index", "..", "./verbatim index WORK/train.json --format squad --index WORK/train.index --model WORK/second-model"),
    ("mined-answers", "..", "./verbatim ask --questions WORK/asked.jsonl --index WORK/train.index --model WORK/second-model --reader off --min-confidence 0 --top-k 10 --out WORK/answers.jsonl"),
    ("mined", ".", "PYTHON mine.py --answers WORK/answers.jsonl --data WORK/train.json --out WORK/mined.json"),
    ("third", ".", "PYTHON train.py --config runs/third.json --data DATA --out WORK/third --start WORK/second/model.pt --teacher WORK/teacher-average --mined WORK/mined.json --resume"),
    ("average", ".", "PYTHON average.py WORK/second/model.pt WORK/third/model.pt --out WORK/second-third"),
    ("reader-kinds", ".", "PYTHON train_reader.py --config runs/reader-kinds.json --data KINDS --start WORK/reader-average/model.pt --out WORK/reader-kinds --resume"),
    ("reader-written", ".", "PYTHON train_reader.py --config runs/reader-written.json --data KINDS --written written/questions.jsonl --start WORK/reader-kinds/model.pt --out WORK/reader-written --resume"),
    ("reader-two-thirds", ".", "PYTHON average.py WORK/reader-average/model.pt WORK/reader-written/model.pt WORK/reader-written/model.pt --out WORK/reader-two-thirds"),
    ("reader-more", ".", "PYTHON train_reader.py --config runs/reader-more.json --data KINDS --written written/questions.jsonl --start WORK/reader-two-thirds/model.pt --minutes 34 --out WORK/reader-more --resume"),
    ("reader-twins", ".", "PYTHON train_reader.py --config runs/reader-twins.json --data KINDS --written written/questions.jsonl --start WORK/reader-more/model.pt --out WORK/reader-twins --resume"),
    ("reader-twins-two-thirds", ".", "PYTHON average.py WORK/reader-two-thirds/model.pt WORK/reader-twins/model.pt WORK/reader-twins/model.pt --out WORK/reader-twins-two-thirds"),
    ("reader-longer", ".", "PYTHON train_reader.py --config runs/reader-longer.json --data KINDS --written written/questions.jsonl --start WORK/reader-twins-two-thirds/model.pt --minutes 47 --out WORK/reader-longer --resume"),
    ("reader-ranked", ".", "PYTHON train_reader.py --config runs/reader-ranked.json --data KINDS --written written/questions.jsonl --start WORK/reader-longer/model.pt --out WORK/reader-ranked --resume"),
    ("reader-ranked-half", ".", "PYTHON average.py WORK/reader-twins-two-thirds/model.pt WORK/reader-ranked/model.pt --out WORK/reader-ranked-half"),
    ("reader-long-ranked", ".", "PYTHON train_reader.py --config runs/reader-long-ranked.json --data KINDS --written written/questions.jsonl --start WORK/reader-ranked-half/model.pt --out WORK/reader-long-ranked --resume"),
    ("reader-long-half", ".", "PYTHON average.py WORK/reader-ranked-half/model.pt WORK/reader-long-ranked/model.pt --out WORK/reader-long-half"),
    ("base-of-reader", ".", "PYTHON base.py e5-en --to WORK/base"),
    ("reader-large", ".", "PYTHON train_reader.py --config runs/reader-large.json --data KINDS --written written/questions.jsonl --out WORK/reader-large --resume"),
    ("reader-large-second", ".", "PYTHON train_reader.py --config runs/reader-large-second.json --data KINDS --written written/questions.jsonl --start WORK/reader-large/model.pt --out WORK/reader-large-second --resume"),
    ("reader-large-mean", ".", "PYTHON average.py WORK/reader-large/model.pt WORK/reader-large-second/model.pt --out WORK/reader-large-mean"),
    ("reader-large-third", ".", "PYTHON train_reader.py --config runs/reader-large-third.json --data KINDS --written written/questions.jsonl --start WORK/reader-large-mean/model.pt --out WORK/reader-large-third --resume"),
    ("reader-large-two-thirds", ".", "PYTHON average.py WORK/reader-large-mean/model.pt WORK/reader-large-mean/model.pt WORK/reader-large-third/model.pt --out WORK/reader-large-two-thirds"),
    ("reader-large-fourth", ".", "PYTHON train_reader.py --config runs/reader-large-fourth.json --data KINDS --written written/questions.jsonl --start WORK/reader-large-two-thirds/model.pt --minutes 50 --out WORK/reader-large-fourth --resume"),
    ("reader-large-half", ".", "PYTHON average.py WORK/reader-large-two-thirds/model.pt WORK/reader-large-fourth/model.pt --out WORK/reader-large-half"),
    ("reader-large-half-model", ".", "PYTHON export_reader.py --model WORK/reader-large-half/model.pt --data KINDS --out WORK/reader-large-half-model"),
    ("teacher-kinds", ".", "PYTHON teacher.py --reader WORK/reader-large-half-model/reader.onnx --config runs/encoder-kinds.json --data KINDS --out WORK/teacher-kinds --minutes 30"),
    ("encoder-kinds", ".", "PYTHON train.py --config runs/encoder-kinds.json --data KINDS --start WORK/second-third/model.pt --teacher WORK/teacher-kinds --out WORK/encoder-kinds --resume"),
    ("encoder-mean", ".", "PYTHON average.py WORK/second-third/model.pt WORK/encoder-kinds/model.pt WORK/encoder-kinds/model.pt --out WORK/encoder-mean"),
    ("base-of-teacher", ".", "PYTHON base.py mpnet --to WORK/base"),
    ("teacher-mpnet", ".", "PYTHON train_reader.py --config runs/teacher-mpnet.json --data KINDS --written written/questions.jsonl --out WORK/teacher-mpnet --resume"),
    ("reader-large-fifth", ".", "PYTHON train_reader.py --config runs/reader-large-fifth.json --data KINDS --written written/questions.jsonl --start WORK/reader-large-half/model.pt --out WORK/reader-large-fifth --resume"),
    ("exported-reader", ".", "PYTHON export_reader.py --model WORK/reader-large-fifth/model.pt --data KINDS --out ../models/verbatim-reader-en --golden ../test/golden/verbatim-reader-en.json"),
    ("encoder-before", ".", "PYTHON export.py --checkpoint WORK/encoder-mean/model.pt --data KINDS --about about.json --out WORK/encoder-before"),
    ("passage-rows", ".", "PYTHON passage_vectors.py features --model WORK/encoder-before --data KINDS --written written/questions.jsonl --out WORK/passage"),
    ("passage-maps", ".", "PYTHON passage_vectors.py fit --config runs/passage-vectors.json --out WORK/passage"),
    ("teacher-long", ".", "PYTHON teacher.py --reader WORK/reader-large-fifth/model.pt --config runs/encoder-long.json --data KINDS --out WORK/teacher-en"),
    ("encoder-long", ".", "PYTHON train.py --config runs/encoder-long.json --data KINDS --start WORK/encoder-mean/model.pt --teacher WORK/teacher-en --out WORK/encoder-long --resume"),
    ("encoder-long-third", ".", "PYTHON average.py WORK/encoder-mean/model.pt WORK/encoder-mean/model.pt WORK/encoder-long/model.pt --out WORK/encoder-long-third"),
    ("encoder", ".", "PYTHON export.py --checkpoint WORK/encoder-long-third/model.pt --data KINDS --about about.json --out WORK/encoder --golden ../test/golden/verbatim-en.json"),
    ("passage-vectors", ".", "PYTHON passage_vectors.py attach --model WORK/encoder --maps WORK/passage/maps.npz --config runs/passage-vectors.json --weight 30 --to ../models/verbatim-en --golden ../test/golden/verbatim-en.json"),
    ("development", "..", "PYTHON bench/development/build.py --data KINDS --out WORK/development"),
    ("development-index", "..", "./verbatim index WORK/development/documents --index WORK/development.index"),
    ("calibration", "..", "npx tsx scripts/calibrate.ts WORK/development/questions.jsonl --index WORK/development.index --limit 2000 --unanswerable WORK/development/unanswerable.jsonl --keep 0.97 --write"),
    ("interpolation", "..", "npx tsx scripts/tune-reader.ts WORK/development/questions.jsonl --index WORK/development.index --limit 2000 --passages 8 --gain 0.98 --write"),
    ("reader-calibration", "..", "npx tsx scripts/calibrate.ts WORK/development/questions.jsonl --index WORK/development.index --reader on --limit 2000 --unanswerable WORK/development/unanswerable.jsonl --keep 0.97 --write"),
)

ON_DEVICE = ("reader.py", "teacher.py", "train.py", "train_reader.py")  # scripts that take --device


def commands(data: Path, work: Path, kinds: Path, device: str = "cpu") -> list[tuple[str, Path, list[str]]]:
    """(name, working folder, command) of every stage, with absolute paths. The device is passed to
    stages that run a network in PyTorch; int8 graphs always run on the processor."""
    given = {"PYTHON": sys.executable, "DATA": str(data.resolve()), "WORK": str(work.resolve()), "KINDS": str(kinds.resolve())}

    def fill(word: str) -> str:
        for name, value in given.items():
            word = value + word[len(name) :] if word == name or word.startswith(f"{name}/") else word
        return word

    def on_device(words: list[str]) -> list[str]:
        takes_it = words[1] in ON_DEVICE and not any(word.endswith(".onnx") for word in words)
        return [*words, "--device", device] if takes_it and device != "cpu" else words

    return [(name, (HERE / folder).resolve(), [fill(word) for word in on_device(command.split())]) for name, folder, command in STAGES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="SQuAD v1.1's training file")
    parser.add_argument("--kinds", required=True, type=Path, help="folder of the sets of other kinds: squad/, other/")
    parser.add_argument("--device", default="cpu", help="of the stages that train or label with PyTorch: cpu, cuda, cuda:1, mps, …")
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    if not args.data.exists():
        parser.error(f"{args.data} does not exist")
    done = WORK / "made"
    for name, folder, command in commands(args.data, WORK, args.kinds, args.device):
        is_done = (done / name).exists()
        print(f"{name}: {'done' if is_done else shlex.join(command)}", flush=True)
        if is_done or args.dry_run:
            continue
        done.mkdir(parents=True, exist_ok=True)
        if (status := subprocess.run(command, cwd=folder).returncode) != 0:
            raise SystemExit(f"Stage {name} failed with status {status}. Earlier stages are kept; run this again to continue.")
        (done / name).touch()


if __name__ == "__main__":
    main()
