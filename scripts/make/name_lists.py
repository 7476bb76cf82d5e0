#!/usr/bin/env python3
"""Makes the lists of given names and surnames in crates/casetrack-nlp/data/words from those of the census of the United States.

usage: make_name_lists.py FOLDER TEXT...

FOLDER holds dist.male.first, dist.female.first and dist.all.last of the 1990 census (in the public domain), for example as the Python
package `names` 0.3.0 has them. A name that the TEXT files, English texts of any kind, write in lower case is an ordinary word and is
left out, and one of data/words/common-given-names.txt is not repeated.
"""
import collections, pathlib, re, sys

DATA = pathlib.Path(__file__).resolve().parents[2] / "crates/casetrack-nlp/data/words"
GIVEN, SURNAMES = 2500, 4000  # most frequent names of each kind; rarer ones are mostly ordinary words or names of places
LOWERED = 2  # a word written in lower case so often is no name

def main():
    folder, texts = pathlib.Path(sys.argv[1]), sys.argv[2:]
    lowered = collections.Counter()
    for text in texts:
        lowered.update(re.findall(r"\b[a-z]+\b", pathlib.Path(text).read_text(errors="replace")))
    given = collections.Counter()
    for name in "dist.male.first", "dist.female.first":
        given.update({name: share for name, share in read(folder / name)})
    common = entries("common-given-names.txt")
    places = {name.lower() for name in (DATA.parent / "places").glob("*.txt") for name in entries(name)}
    usable = lambda name: lowered[name] < LOWERED and len(name) > 2 and name not in places
    write("given-names.txt", "Given names", {name for name, _ in given.most_common(GIVEN) if usable(name)} - common)
    write("surnames.txt", "Surnames", {name for name, _ in read(folder / "dist.all.last")[:SURNAMES] if usable(name)})

def read(path):
    return [(line.split()[0].lower(), float(line.split()[1])) for line in path.read_text().splitlines()]

def entries(name):
    return {line for line in (DATA / name).read_text().splitlines() if line and line[0] != "#"}

def write(name, what, words):
    source = "census of the United States, 1990 (public domain), without ordinary words: scripts/make/name_lists.py"
    (DATA / name).write_text(f"# {what}: {source}\n" + "".join(word + "\n" for word in sorted(words)))

if __name__ == "__main__":
    main()
