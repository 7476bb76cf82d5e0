#!/usr/bin/env python3
"""Prints the software bill of materials of the program for this system: CycloneDX 1.5 as JSON.

The crates come from cargo-cyclonedx (`cargo install --locked cargo-cyclonedx`); this script adds what Cargo does not know: the
models with their SHA-256, those for OCR as they are staged, and libpdfium. Called by stage.sh. Needs Python 3.11 or later.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def crates():
    """cargo-cyclonedx writes beside each manifest, so it works on a copy of the committed sources."""
    target = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    target = os.environ.get("CARGO_BUILD_TARGET") or re.search(r"^host: (.*)$", target, re.MULTILINE)[1]
    with tempfile.TemporaryDirectory() as folder:
        pack = subprocess.Popen(["git", "archive", "HEAD", "Cargo.toml", "Cargo.lock", "crates"], cwd=ROOT, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder], stdin=pack.stdout, check=True)
        if pack.wait() != 0:
            sys.exit("sbom.py: git could not read the committed sources")
        command = ["cargo", "cyclonedx", "--format", "json", "--spec-version", "1.5", "--target", target, "--quiet"]
        done = subprocess.run(command, cwd=folder, stdout=sys.stderr)
        if done.returncode != 0:
            sys.exit("sbom.py: cargo cyclonedx failed; install it with: cargo install --locked cargo-cyclonedx")
        written = (Path(folder) / "crates" / "casetrack" / "casetrack.cdx.json").read_text(encoding="utf-8")
        return json.loads(written.replace(Path(folder).as_uri() + "/", "").replace(folder + "/", ""))


def models():
    manifest = tomllib.loads((ROOT / "models" / "manifest.toml").read_text(encoding="utf-8"))
    for model in manifest["models"]:
        if model["profile"] == "compact":
            yield component(model["id"], model["source_revision"], model["licence"], f"models/{model['id']}", model["source_repository"])
    entity = tomllib.loads((ROOT / "models" / "ner-en-core-web-sm" / "model.toml").read_text(encoding="utf-8"))
    source = entity.get("source_package", "en_core_web_sm")
    yield component("ner-en-core-web-sm", source.rpartition("==")[2], "MIT", "models/ner-en-core-web-sm", source)


def component(name, version, licence, folder, source):
    rounding = "rounded to half precision"
    return model(name, version, licence, folder, f"From {source}, {rounding}", ROOT / folder / "model.safetensors")


def ocr():
    """The two networks of the second OCR engine."""
    engine = tomllib.loads((ROOT / "models" / "ocr-pp-ocrv6-small.toml").read_text(encoding="utf-8"))
    folder, package = f"models/{engine['id']}", engine["source_package"]
    for file in engine["files"]:
        if file["name"].endswith(".onnx"):
            name, weights = Path(file["member"]).stem, Path(os.environ["STAGE"]) / "share" / "casetrack" / folder / file["name"]
            description = f"From {package}, rounded"
            yield model(name, package.rpartition("==")[2], engine["licence"], f"{folder}/{file['name']}", description, weights)


def model(name, version, licence, reference, description, weights):
    return {
        "type": "machine-learning-model",
        "bom-ref": reference,
        "name": name,
        "version": version,
        "description": description,
        "licenses": [{"expression": licence}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(weights.read_bytes()).hexdigest()}],
    }


def pdfium():
    folder = Path(os.environ.get("CASETRACK_PDFIUM_DIR", Path.home() / ".cache/casetrack/pdfium"))
    package, _, _ = (folder / "INSTALLED").read_text(encoding="utf-8").split()
    library = next((Path(os.environ["STAGE"]) / "lib" / "casetrack").iterdir())
    return {
        "type": "library",
        "bom-ref": "libpdfium",
        "name": "pdfium",
        "version": package.rpartition("==")[2],
        "description": f"{library.name} out of the Python package {package}",
        "licenses": [{"expression": "BSD-3-Clause AND Apache-2.0"}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(library.read_bytes()).hexdigest()}],
    }


def main():
    bill = crates()
    bill["components"] += [*models(), *ocr(), pdfium()]
    json.dump(bill, sys.stdout, indent=1)
    print(f"sbom.py: {len(bill['components'])} components", file=sys.stderr)


if __name__ == "__main__":
    main()
