#!/usr/bin/env python3
"""How many small files a second are ingested, by one program or by two in turn.

usage: small_files.py PROGRAM [--before OTHER_PROGRAM] [--files N] [--rounds R] [--seed N] [--work FOLDER] [--precision P]

Makes N text files of about 2 kB (sentences of words from a list, drawn by a seeded generator, so that no two are alike) and ingests them
into a new collection in a new data directory, R times with each program; both take turns. One file is ingested before, so that models are
loaded. Printed are files/s by the duration that the program reports: the median of the rounds, the lowest and the highest. --precision is
given to both programs [default: what each does by itself]. Needs the Python standard library only.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

BYTES = 2000
WORDS = """account agreement amount annex approval archive audit balance bank board border bridge budget building buyer cargo carrier
certificate channel charge clause client code coast committee company condition consent contract copy council county court cover credit
custom damage date deadline debt decision deed deliver deposit depot director district document draft duty east engine entry equipment
estate event evidence exchange expense export factory failure fee field file filing final fleet forest freight fund garden goods grant
ground guarantee harbour hearing highway hire holder house import income index industry injury inland insurance interest inventory invoice
island issue item journey judge labour ladder land law lease ledger letter level licence limit line list loan lock lumber machine manager
manual margin market matter measure meeting member merger meter mill mine minute mortgage motor north notary notice object offer office
officer opinion option order origin owner packet panel paper parcel parish partner party pattern payment penalty pension permit petition
pier pilot place plan plant platform pledge policy port position post power premium price print profit project proof property purchase
quality quarter query quota railway rate receipt record refund region register release rent repair report request reserve return review
right river road roof room route royalty rule safety salary sale sample schedule school seal section security seller service session
share ship shore signal site source south staff stage statement station statute steel stock storage store street strike sum supply surety
survey system table tariff tax tenant tender term test ticket title tower town track trade transfer transit treaty trial trust tunnel
union unit value vault vehicle vendor vessel village visit voucher wage warehouse warrant water weight west wharf winter witness works
yard year zone""".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--before", metavar="OTHER_PROGRAM")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--work", help="where files and collections are made [default: the system's temporary folder]")
    parser.add_argument("--precision")
    options = parser.parse_args()
    programs = {"before": options.before, "now": options.program} if options.before else {"now": options.program}
    rates = {name: [] for name in programs}
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        folder, one = Path(work, "files"), Path(work, "one")
        make(folder, options.files, random.Random(options.seed))
        make(one, 1, random.Random(-1 - options.seed))
        for _ in range(options.rounds):
            for name, program in programs.items():
                home = Path(work, "home")
                rates[name].append(ingest(program, home, folder, one, options))
                shutil.rmtree(home)
    for name, found in rates.items():
        print(f"{name:6} {statistics.median(found):8.1f} files/s ({min(found):.1f} to {max(found):.1f})")
    if options.before:
        print(f"now / before: {statistics.median(rates['now']) / statistics.median(rates['before']):.2f}")


def make(folder, count, rng):
    folder.mkdir()
    for number in range(count):
        text = ""
        while len(text) < BYTES:
            sentence = " ".join(rng.choices(WORDS, k=rng.randint(6, 20))).capitalize()
            text += sentence + rng.choice([". ", ". ", ".\n\n"])
        (folder / f"{number:06}.txt").write_text(text[:BYTES], encoding="ascii")


def ingest(program, home, folder, one, options):
    """Files a second of a folder in a new data directory."""
    precision = ["--precision", options.precision] if options.precision else []

    def run(*arguments):
        command = [program, "--data-dir", str(home), "--quiet", "--json", *precision, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "CASETRACK_IDLE_SECONDS": "60"})
        return json.loads(done.stdout)

    run("new", "Small")
    try:
        run("ingest", str(one), "-c", "Small")
        report = run("ingest", str(folder), "-c", "Small")
        assert len(report["ingested"]) == options.files and not report["failed"], report["failed"][:3]
        assert run("verify", "-c", "Small")["clean"]
        return options.files * 1000 / report["duration_ms"]
    finally:
        subprocess.run([program, "--data-dir", str(home), "--quiet", "stop"], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
