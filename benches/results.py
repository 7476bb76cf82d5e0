#!/usr/bin/env python3
"""Measures the figures of docs/performance.md on this machine and writes them to benches/results.json, one table after the other.

usage: results.py CONTRACTS [--only TABLE...] [--casetrack PROGRAM]

CONTRACTS has pdf/ and clauses.jsonl, as benches/retrieval/contracts.py reads them. The machine must be idle. Then run scripts/make/figures.py.
"""
import argparse, datetime, json, os, platform, re, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benches" / "results.json"
NUMBER = r"([\d.]+)"

# For each table: the script, and for each figure its name, its unit and where it is in the output.
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
}


def number(text):
    return float(text) if "." in text else int(text)


def output_of(script, data, program):
    command = [sys.executable, str(ROOT / script)]
    if script.endswith("contracts.py"):
        command += [data, "--casetrack", program]
    print("running:", *command, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, flush=True)
    return done.stdout


def rows_of(table, text):
    script, figures = TABLES[table]
    arguments = "" if table == "protocol" else " CONTRACTS"
    for name, unit, pattern in figures:
        found = re.search(pattern, text)
        if not found:
            sys.exit(f"results.py: the output of {script} has no \"{name}\"")
        yield {"table": table, "name": name, "value": number(found[1]), "unit": unit, "command": f"python3 {script}{arguments}"}


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
