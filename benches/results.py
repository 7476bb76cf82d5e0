#!/usr/bin/env python3
"""Measures the figures of docs/performance.md on this machine and writes them to benches/results.json, one table after the other.

usage: results.py CONTRACTS [--only TABLE...] [--casetrack PROGRAM]

CONTRACTS has pdf/, txt/ and clauses.jsonl, as benches/retrieval/contracts.py reads them. The machine must be idle. All takes some 15 minutes on
two cores. The comparison needs the Python packages that benches/retrieval/peers.py names. Then run scripts/make/figures.py.
"""
import argparse, datetime, json, os, platform, re, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benches" / "results.json"
PEER_FILES = 25
NUMBER = r"([\d.]+)"

# For each table: the command, what must be in its output, and for each figure its name, its unit and where it is in the output.
TABLES = {
    "ingestion": ("benches/retrieval/contracts.py", [
        ("100 contracts", "s", rf"chunks in {NUMBER} s"),
        ("passages per second", "passages/s", rf"s: {NUMBER} chunks/s"),
        ("most memory", "MB", rf"peak memory {NUMBER} MB"),
        ("size on disk", "MB", rf"{NUMBER} MB on disk"),
        ("quotations of the annotations that are found word for word", "%", rf"quotes found verbatim: .*\({NUMBER}%\)"),
        ("annotated clauses that are among the first ten passages of their document", "%", rf"category's spans {NUMBER}%"),
    ]),
    "search": ("benches/retrieval/contracts.py", [
        ("one search in the 100 contracts, median", "ms", rf"p50 {NUMBER} ms"),
        ("one search in the 100 contracts, 95th percentile", "ms", rf"p95 {NUMBER} ms"),
    ]),
    "protocol": ("benches/protocol/protocol.py", [
        ("the list of all tools, median", "ms", rf"tools/list .*median {NUMBER} ms"),
        ("a call that searches nothing (`get_status`), median", "ms", rf"get_status .*median {NUMBER} ms"),
        ("memory of the owner process without a model", "MB", rf"owner {NUMBER} MB"),
    ]),
    "quotations": ("benches/facts/quotes.py", [
        ("sentences with other typography that are exact", "", r"\| typography[^|]*\|[^|]*\|[^|]*\| (\d+) \|"),
        ("sentences with other typography", "", r"\| typography[^|]*\| (\d+) \|"),
        ("share of sentences with errors of scans and typing that are found", "", rf"\| noise[^|]*\|[^|]*\| {NUMBER} \|"),
        ("share of changed sentences that are reported with the changed word", "", rf"changed word marked {NUMBER}"),
        ("time for one quotation, median", "ms", rf"\| noise[^|]*\|[^|]*\|[^|]*\|[^|]*\| {NUMBER} \|"),
    ]),
    "peer": ("benches/retrieval/peers.py", [
        (name, unit, rf"(?P<side>CaseTrack|peer) +\d+{''.join(rf' +[0-9.]+%?' for _ in range(at))} +{NUMBER}")
        for at, (name, unit) in enumerate([
            (f"ingestion of {PEER_FILES} contracts", "s"), ("processor time", "s"), ("most memory", "MB"), ("size on disk", "MB"),
            ("clauses found in ten passages", "%"), ("one search, median", "ms"), ("one search, 95th percentile", "ms"),
        ])
    ]),
}


def number(text):
    return float(text) if "." in text else int(text)


def output_of(script, data, program):
    command = [sys.executable, str(ROOT / script)]
    with tempfile.TemporaryDirectory() as folder:
        if script.endswith("contracts.py"):
            command += [data, "--casetrack", program]
        elif script.endswith("peers.py"):
            (Path(folder) / "pdf").mkdir()
            for file in sorted(Path(data, "pdf").glob("*.pdf"))[:PEER_FILES]:
                shutil.copy(file, Path(folder) / "pdf")
            shutil.copy(Path(data, "clauses.jsonl"), folder)
            command += [folder, "--casetrack", program]
        elif script.endswith("quotes.py"):
            command += [str(Path(data, "txt")), "--half", "second", "--program", program]
        print("running:", *command, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, flush=True)
    return done.stdout


def rows_of(table, text):
    script, figures = TABLES[table]
    arguments = "" if table == "protocol" else " CONTRACTS/txt --half second" if table == "quotations" else " CONTRACTS"
    for name, unit, pattern in figures:
        row = {"table": table, "name": name, "value": None, "unit": unit, "command": f"python3 {script}{arguments}"}
        if table == "peer":
            sides = {match["side"]: match[match.lastindex] for match in re.finditer(pattern, text)}
            row |= {"value": number(sides["CaseTrack"]), "peer": number(sides["peer"])}
        else:
            found = re.search(pattern, text)
            if not found:
                sys.exit(f"results.py: the output of {script} has no \"{name}\"")
            row["value"] = number(found[1])
        yield row


def machine():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    return {
        "processor": cpu[1] if cpu else platform.processor(),
        "cores": os.cpu_count(),
        "memory": f"{int(memory[1]) // 1048576} GiB",
        "system": f"{platform.system()} on {platform.machine()}",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("contracts")
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if commit != results["commit"] and set(options.only) != set(TABLES):
        print("results.py: the other tables are of another commit; measure all tables before you publish", file=sys.stderr)
    results |= {"machine": machine(), "date": datetime.date.today().isoformat(), "commit": commit}
    outputs = {}
    for table in options.only:
        script = TABLES[table][0]
        outputs[script] = outputs.get(script) or output_of(script, options.contracts, options.casetrack)
        results["rows"] = [row for row in results["rows"] if row["table"] != table] + list(rows_of(table, outputs[script]))
        rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in sorted(results["rows"], key=lambda row: list(TABLES).index(row["table"])))
        head = ",\n  ".join(f"{json.dumps(name)}: {json.dumps(results[name], ensure_ascii=False)}" for name in ("machine", "date", "commit"))
        RESULTS.write_text(f"{{\n  {head},\n  \"rows\": [\n    {rows}\n  ]\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
