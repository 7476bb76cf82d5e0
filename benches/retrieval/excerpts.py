#!/usr/bin/env python3
"""Counts how often the excerpt of a result contains the sentence that answers a question, whole.

usage: excerpts.py CASETRACK COLLECTION FOLDER... [--part tune|report] [--most N] [--show] [--data-dir DIR]

COLLECTION holds the texts of a part that contract_parts.py copied; the part says which questions are asked. Each FOLDER holds the annotations, as
described there. A question is asked of one contract, which it calls by its title. Its answer is the only quotation of the category there, and one sentence. The
categories take turns. The title is read from manifest.jsonl.
Needs the Python standard library only.
"""
import argparse, collections, json, re, subprocess
from pathlib import Path

from contract_parts import annotations, part_of

QUESTIONS = {
    "Expiration Date": "How long does the agreement last?",
    "Renewal Term": "Does the agreement renew after its first term?",
    "Notice Period To Terminate Renewal": "How much notice must be given to prevent renewal?",
    "Governing Law": "Which law governs the agreement?",
    "Non-Disparagement": "May a party make disparaging remarks about the other?",
    "Anti-Assignment": "May the agreement be assigned without consent?",
    "Minimum Commitment": "What is the minimum that must be purchased or paid?",
    "Audit Rights": "Who may inspect or audit the books and records?",
    "Warranty Duration": "How long does the warranty last?",
    "Exclusivity": "Are the rights granted exclusively?",
    "Rofr/Rofo/Rofn": "Is there a right of first refusal or first offer?",
    "Volume Restriction": "Is there a limit on volume or use?",
    "Covenant Not To Sue": "May a party contest the validity of the other's intellectual property?",
    "Most Favored Nation": "Must a party offer terms as favorable as those offered to others?",
    "Change Of Control": "What happens on a merger or change of control?",
    "Joint Ip Ownership": "Which intellectual property is owned jointly?",
    "Uncapped Liability": "Which liability is not limited?",
    "No-Solicit Of Employees": "May a party hire or solicit the other's employees?",
    "Termination For Convenience": "May the agreement be terminated without cause?",
    "Ip Ownership Assignment": "Who owns the intellectual property that is created?",
    "Non-Transferable License": "May the license be transferred or sublicensed?",
    "Liquidated Damages": "Are liquidated damages or a termination fee payable?",
    "Insurance": "What insurance must be maintained?",
    "Non-Compete": "May a party compete with the other?",
    "Post-Termination Services": "What must the parties do after termination?",
    "Price Restrictions": "May prices be increased?",
    "Revenue/Profit Sharing": "What share of the revenue is paid to the other party?",
    "Cap On Liability": "What is the maximum liability of a party?",
    "Third Party Beneficiary": "Is anyone else a beneficiary of the agreement?",
}
SHORTEST = 60
LONGEST_TITLE = 60
READ = 3


def words(text):
    return " ".join(text.split())


def is_one_sentence(text):
    return not re.search(r"[a-z)\]%][.] [A-Z(]", words(text))


def titles(folders):
    lines = (line for folder in folders for line in (folder / "manifest.jsonl").read_text().splitlines())
    return {contract["_id"]: words(contract["document_name"]).title() for contract in map(json.loads, lines)}


def questions(folders, part, collection):
    """(category, contract, question, answer), by turns of the categories."""
    found, title, contracts = collections.defaultdict(list), titles(folders), part_of(folders, part)
    for clause in annotations(folders):
        kind, file, quote = clause["category"], clause["file"], clause["quotes"][0]
        if kind in QUESTIONS and file in contracts and file in collection and len(clause["quotes"]) == 1:
            if len(quote["text"]) >= SHORTEST and len(quote["spans"]) == 1 and is_one_sentence(quote["text"]):
                name = title[file] if title[file] and len(title[file]) <= LONGEST_TITLE else "Agreement"
                found[kind].append((file, QUESTIONS[kind].replace("the agreement", f"the {name}"), quote["text"]))
    turns = max(map(len, found.values()))
    return [(kind, *found[kind][turn]) for turn in range(turns) for kind in sorted(found) if turn < len(found[kind])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("casetrack")
    parser.add_argument("collection")
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--part", choices=["tune", "report"], default="report")
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--data-dir", default=None)
    options = parser.parse_args()
    read = whole = begun = length = 0
    place = ["--data-dir", options.data_dir] if options.data_dir else []

    def casetrack(*arguments):
        command = [options.casetrack, *place, *arguments, "-c", options.collection, "--json", "-q"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    collection = {Path(document["name"]).stem for document in casetrack("documents")}
    asked = questions(options.folder, options.part, collection)[: options.most]
    for kind, file, question, answer in asked:
        results = casetrack("search", question, "--document", file + ".txt", "-k", str(READ))["results"]
        answer = words(answer)
        # The annotated text may run on beyond its passage.
        holds = [result for result in results if answer[:SHORTEST] in words(result["text"])]
        excerpts = [words(result["excerpt"]["text"]) for result in holds]
        read += bool(holds)
        has_whole = any(answer.rstrip(".; ") in excerpt for excerpt in excerpts)
        whole += has_whole
        begun += any(answer[:SHORTEST] in excerpt for excerpt in excerpts)
        length += sum(map(len, excerpts))
        if options.show and holds and not has_whole:
            print(f"--- {question} | {file}\n    answer:  {answer}\n    excerpt: {' ||| '.join(excerpts)}")
    kinds = len({kind for kind, *_ in asked})
    print(f"{options.part}: {len(asked)} questions of {kinds} categories, answer in the first {READ} passages {read}, "
          f"whole in the excerpt {whole} ({whole / max(read, 1):.2f}), its beginning {begun} ({begun / max(read, 1):.2f}), characters {length // max(read, 1)}")


main()
