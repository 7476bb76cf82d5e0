#!/usr/bin/env python3
"""Prints the licence texts of all crates that the program is made of, each text once, with the crates that it covers.

Reads the sources that Cargo has fetched, so it needs no network after a build. A crate without a text in its sources is listed
with its SPDX expression. Needs only the standard library and cargo.
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
# What native code a crate carries is below it (rocksdb-sys/rocksdb, rocksdb-sys/lz4/lib); deeper are tests and examples.
MAX_DEPTH = 3
MAX_BYTES = 200_000


def shipped():
    """The crates that the program links on this system: neither for tests nor for the build alone, and none of ours."""
    target = subprocess.run(["rustc", "-vV"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    target = os.environ.get("CARGO_BUILD_TARGET") or re.search(r"^host: (.*)$", target, re.MULTILINE)[1]
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in packages.values() if package["name"] == "casetrack"]
    seen = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if linked and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    found = (packages[identity] for identity in seen)
    return sorted((package for package in found if package["source"]), key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The licence texts in a crate's sources, with line ends and outer white space made alike."""
    folder = Path(package["manifest_path"]).parent
    for path in sorted(folder.rglob("*")):
        shallow = len(path.relative_to(folder).parts) <= MAX_DEPTH
        if shallow and path.is_file() and NAME.match(path.name) and path.suffix not in (".rs", ".py", ".sh", ".toml"):
            if path.stat().st_size <= MAX_BYTES:
                text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
                yield re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def main():
    covered, bare = defaultdict(list), []
    packages = shipped()
    for package in packages:
        name = f"{package['name']} {package['version']} ({package['license'] or 'no expression'})"
        found = list(dict.fromkeys(texts(package)))
        if not found:
            bare.append(name + (f", by {', '.join(package['authors'])}" if package["authors"] else ""))
        for text in found:
            covered[text].append(name)
    print(f"CaseTrack is made of {len(packages)} crates of others. Their licence texts follow, each once, after the crates it covers.")
    print("The licences of libpdfium are in the folder pdfium, those of the models in each model's folder.\n")
    print("The classifier of clauses was trained on annotations of CUAD v1, The Atticus Project, CC BY 4.0")
    print("(https://creativecommons.org/licenses/by/4.0/). The weights in the program are derived from them.\n")
    print("These crates carry no text; their licence is the one in brackets, whose text is given for other crates below:\n")
    lines = [f"  {name}" for name in bare]
    for text, names in sorted(covered.items(), key=lambda item: (-len(item[1]), item[1])):
        lines += ["", "=" * 100, *names, "-" * 100, "", text]
    print("\n".join(lines))
    print(f"licences.py: {len(packages)} crates, {len(covered)} texts, {len(bare)} crates without one", file=sys.stderr)


if __name__ == "__main__":
    main()
