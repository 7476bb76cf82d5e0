#!/usr/bin/env python3
"""Counts the places of a tool in CONTRIBUTING.md, and adds a tool in a scratch copy of the repository at those that hold code.

    python3 scripts/check/tool_places.py [--no-build]

The list under "A tool" has at most 8 places: four hold code, two are written by the program and its scripts, and two are a test and the
changelog. The scratch copy must compile with the four, and must not compile without the row or the sample call of the tool. Builds
casetrack-mcp in the target directory of the environment. Needs only the standard library.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 8
SOURCES = {
    "crates/casetrack-engine/src/": ("evidence/mod.rs", """
/// The number of words of a text.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub struct ScratchCount {
    pub words: usize,
}

/// Counts the words of a text.
pub fn scratch_count(text: &str) -> ScratchCount {
    ScratchCount { words: text.split_whitespace().count() }
}
"""),
    "crates/casetrack-text/src/": ("quotes.rs", """
pub fn scratch_count(count: &casetrack_engine::evidence::ScratchCount) -> String {
    format!("{} words", count.words)
}
"""),
    "crates/casetrack-mcp/src/tools/": ("quotes.rs", """
pub(crate) struct ScratchCount;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScratchParameters {
    /// The text
    text: String,
}

impl Tool for ScratchCount {
    const NAME: &'static str = "scratch_count";
    const TITLE: &'static str = "Count words";
    const DESCRIPTION: &'static str = "Count the words of a text.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"text": "$quote"}"#;
    type Parameters = ScratchParameters;
    type Response = casetrack_engine::evidence::ScratchCount;

    fn call(_: &Context<'_>, parameters: ScratchParameters) -> Result<Reply<Self::Response>> {
        Ok(Reply::new(casetrack_engine::evidence::scratch_count(&parameters.text), text::quotes::scratch_count))
    }
}
"""),
}
TABLE = "crates/casetrack-mcp/src/table.rs"
ROW = "        quotes::{"


def places():
    """The places in the numbered list under "A tool", by their first words in code font."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paragraph = text.split("**A tool.**", 1)[1].split("\n**", 1)[0]
    return re.findall(r"^\d+\. `([^`]+)`", paragraph, re.MULTILINE)


def copy(scratch):
    """The crates, with what else they read as links."""
    for path in ROOT.iterdir():
        if path.name in ("crates", "Cargo.toml", "Cargo.lock"):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, scratch / path.name)
        elif path.name not in (".git", "target"):
            (scratch / path.name).symlink_to(path)


def compiles(scratch):
    done = subprocess.run(["cargo", "check", "--release", "--locked", "-p", "casetrack-mcp"], cwd=scratch, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-build", action="store_true", help="only count the places in the list")
    options = parser.parse_args()
    listed = places()
    missing = [place for place in [*SOURCES, TABLE] if not any(name.startswith(place) for name in listed)]
    if not 0 < len(listed) <= MOST or missing:
        sys.exit(f"CONTRIBUTING.md lists {len(listed)} places of a tool, at most {MOST} are allowed; it lacks {missing}.")
    if options.no_build:
        return
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy(scratch)
        for place, (name, code) in SOURCES.items():
            with open(scratch / place / name, "a", encoding="utf-8") as file:
                file.write(code)
        table = scratch / TABLE
        text = table.read_text(encoding="utf-8")
        table.write_text(text.replace(ROW, f"{ROW}ScratchCount, ", 1), encoding="utf-8")
        works, said = compiles(scratch)
        if not works:
            sys.exit(f"The tool does not compile at these places:\n{said[-3000:]}")
        file = scratch / "crates/casetrack-mcp/src/tools/quotes.rs"
        whole = file.read_text(encoding="utf-8")
        before, tool = whole.split("impl Tool for ScratchCount", 1)
        for required in ("ROW", "SAMPLE"):
            without = re.sub(rf"    const {required}: .*\n", "", tool, count=1)
            file.write_text(f"{before}impl Tool for ScratchCount{without}", encoding="utf-8")
            works, said = compiles(scratch)
            if works or required not in said:
                sys.exit(f"A tool without {required} compiles:\n{said[-3000:]}")
    print(f"A tool needs {len(listed)} places.")


if __name__ == "__main__":
    main()
