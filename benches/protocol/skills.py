#!/usr/bin/env python3
"""Counts the calls and tokens of the six skills, compared with search and reading. Standard library only.

    python3 benches/protocol/skills.py [--json FILE]

A scripted assistant does each task of skills.json twice over stdio ($CASETRACK_BIN, otherwise the release build). With the skill, it makes the calls
of the numbered steps in plugin/skills. Without the skill, it searches once for each point of the task, and then reads the files of the facts that no
answer showed. It stops as soon as every fact was shown, and reads no file without such a fact, so a real assistant makes at least as many calls.

A fact was shown if one answer has its words and the name of its file. The exit status is 1 if a fact is missing in either way, or if a skill does not
name a tool that its task calls. Tokens are characters / 4; those of a skill include its own text.

The tasks are about samples/harbour-point and about twelve supply contracts, which the bench writes itself.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import BINARY, Client, in_place  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
# Supplier, date, law, end of the term, renewal, days of notice, cap in euros, standard.
CONTRACTS = [
    ("Alder Milling Ltd", "4 January 2021", "England and Wales", "3 January 2037", "one year", 30, "110,000", "ISO 22000"),
    ("Birch Chemicals GmbH", "15 March 2021", "Germany", "14 March 2037", "two years", 45, "120,000", "EN 1262"),
    ("Cedar Packaging SAS", "1 June 2021", "France", "31 May 2036", "six months", 60, "130,000", "ISO 15593"),
    ("Dogwood Dairy plc", "9 July 2021", "Scotland", "8 July 2036", "one year", 75, "140,000", "ISO 6579"),
    ("Elm Glass Inc.", "20 August 2021", "New York", "19 August 2035", "three years", 90, "150,000", "ISO 7458"),
    ("Fir Logistics BV", "2 September 2021", "the Netherlands", "1 September 2035", "one year", 100, "160,000", "EN 12642"),
    ("Gorse Oils Ltd", "11 October 2021", "Ireland", "10 October 2034", "two years", 110, "170,000", "ISO 8294"),
    ("Hazel Sugar AG", "23 November 2021", "Switzerland", "22 November 2034", "one year", 120, "180,000", "EN 16623"),
    ("Ivy Labels Oy", "7 December 2021", "Finland", "6 December 2033", "six months", 130, "190,000", "ISO 2846"),
    ("Juniper Spices Srl", "18 January 2022", "Italy", "17 January 2034", "one year", 140, "210,000", "ISO 927"),
    ("Kapok Textiles LLC", "25 February 2022", "Delaware", "24 February 2035", "four years", 150, "220,000", "ISO 9073"),
    ("Larch Pallets AB", "30 March 2022", "Sweden", "29 March 2036", "one year", 160, "230,000", "ISO 8611"),
]
USUAL = """The Buyer orders in writing, and the Supplier confirms each order within two Business Days of its receipt, stating the day of delivery.
Prices are those of Schedule 1. They include packing and carriage, and exclude value added tax, which the Buyer pays on receipt of an invoice.
The Buyer pays each undisputed invoice within the time stated in the invoice, and may withhold an amount that it disputes in good faith.
Title to the goods passes on delivery. Risk passes when the goods are unloaded at the place that the order names.
The Buyer may reject goods that do not conform to this Agreement within a reasonable time of their delivery, and the Supplier collects them.
Each party keeps the other's confidential information secret, and uses it only for the purposes of this Agreement.
Neither party is liable for a failure that is caused by an event beyond its reasonable control, for as long as that event lasts.
The Supplier keeps records of each delivery, and lets the Buyer inspect its premises during working hours on reasonable notice.
Either party may terminate this Agreement at once if the other commits a material breach and does not remedy it when asked to do so.
A notice under this Agreement is in writing, and is delivered by hand or by recorded post to the registered office of the other party.
No variation of this Agreement is effective unless both parties have signed it. A failure to exercise a right is not a waiver of the right.""".splitlines()


def file_of(company):
    return f"{company.split()[0]}_Supply_Agreement.txt"


def contract(company, date, law, end, renewal, notice, cap, standard):
    usual = [f"{number}. {title}\n{number}.1 {text}" for number, (title, text) in enumerate(
        zip(("Orders", "Prices", "Payment", "Title and risk", "Rejection", "Confidence", "Force majeure", "Records", "Default", "Notices", "Variation"), USUAL), 5)]
    return "\n\n".join([
        "Supply Agreement",
        f'This Supply Agreement is made on {date} between Northgate Foods plc (the "Buyer") and {company} (the "Supplier").',
        f"1. Supply\n1.1 The Supplier shall deliver the goods that the Buyer orders. All goods shall meet the standard {standard}.",
        *usual[:6],
        f"2. Term\n2.1 This Agreement begins on the date above and continues until {end}.\n2.2 It then renews for successive periods of {renewal}, unless "
        f"either party gives the other at least {notice} days' written notice of non-renewal before the end of the current term.",
        *usual[6:],
        f"3. Liability\n3.1 The total liability of the Supplier under this Agreement shall not exceed EUR {cap}.",
        f"4. General\n4.1 This Agreement is governed by the laws of {law}.",
    ])


def day(text):
    """`3 January 2037` as a pattern that also fits 2037-01-03."""
    number, month, year = text.split()
    months = ("January February March April May June July August September October November December").split()
    return f"{text}|{year}-{months.index(month) + 1:02}-{int(number):02}"


def of_contracts(columns):
    """The facts about the contracts in these columns."""
    patterns = {
        "law": lambda row: row[2].removeprefix("the "), "cap": lambda row: re.escape(row[6]), "standard": lambda row: re.escape(row[7]),
        "end": lambda row: day(row[3]), "notice": lambda row: rf"\b{row[5]} days",
    }
    return [{"file": file_of(row[0]), "shows": patterns[name](row)} for name in columns for row in CONTRACTS]


class Assistant:
    """One session, with the number of calls, the characters of the answers, and the facts that no answer has shown yet."""

    def __init__(self, home, facts, way):
        self.client = Client([BINARY, "--data-dir", home, "mcp"])
        self.missing = [(fact["file"], fact.get(way, fact["shows"])) for fact in facts]
        self.calls, self.characters = 0, 0

    def call(self, tool, **arguments):
        """The structured content of an answer. An error ends the bench."""
        message, _ = self.client.request("tools/call", {"name": tool, "arguments": arguments})
        result = message.get("result") or sys.exit(f"{tool} {arguments}: {message['error']['message']}")
        text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        if result.get("isError"):
            sys.exit(f"{tool} {arguments}: {text}")
        self.calls += 1
        self.characters += len(text)
        folded = " ".join(text.split())
        self.missing = [(file, shows) for file, shows in self.missing if file not in folded or not re.search(shows, folded)]
        return in_place(result["structuredContent"])


def passages(answers):
    """Document and chunk of each event without a role, and of each row of a question."""
    events = (event["source"] for answer in answers for event in answer.get("events", []) if "description" not in event)
    yield from ((source["provenance"]["document_name"], source["chunk_id"]) for source in events)
    rows = (row for answer in answers if "question" in answer for row in answer["rows"] if row["found"])
    yield from ((row["document_name"], row["chunk_id"]) for row in rows)


def follow(assistant, task):
    """The steps of the skill. The key `each` repeats a step, as the skill states it."""
    answers = []
    for step in task["steps"]:
        tool, arguments, each = step["tool"], dict(step.get("arguments", {})), step.get("each")
        if each == "offset":
            answers.append(assistant.call(tool, **arguments))
            while following := answers[-1].get("next_offset"):
                answers.append(assistant.call(tool, **arguments, offset=following))
        elif each == "differing quotation":
            for row in [row for row in answers[-1]["rows"] if row["status"] == "differs"]:
                assistant.call(tool, chunk_id=row["chunk_id"])
        elif each == "open passage":
            for file, chunk in passages(answers):
                if file in [file for file, _ in assistant.missing]:
                    assistant.call(tool, chunk_id=chunk)
        # The steps for open questions.
        elif each != "missing fact" or assistant.missing:
            answers.append(assistant.call(tool, **arguments))


def search_and_read(assistant, task):
    """One search for each point, then the files of the facts that are missing."""
    assistant.call("switch_collection", collection_name=task["matter"])
    for query in task["points"]:
        if assistant.missing:
            assistant.call("search_documents", query=query)
    for file in dict.fromkeys(file for file, _ in assistant.missing):
        if file in [file for file, _ in assistant.missing]:
            assistant.call("browse_pages", document_name=file, start_page=1, end_page=10)


WAYS = {"skill": follow, "search": search_and_read}


def prepare(home, folder):
    for row in CONTRACTS:
        (folder / file_of(row[0])).write_text(contract(*row), encoding="utf-8")
    for name, source in (("Harbour Point", ROOT / "samples/harbour-point"), ("Supply", folder)):
        for command in (["new", name], ["ingest", source, "-c", name]):
            subprocess.run([BINARY, "--data-dir", home, "--quiet", *command], check=True, stdout=subprocess.DEVNULL)


def measure(home, task):
    """The figures of both ways, and what went wrong."""
    skill = (ROOT / "plugin/skills" / task["skill"] / "SKILL.md").read_text(encoding="utf-8")
    unnamed = {step["tool"] for step in task["steps"] if f"`{step['tool']}`" not in skill}
    row, problems = {"skill": task["skill"]}, [f"{task['skill']} does not name {tool}" for tool in sorted(unnamed)]
    facts = task.get("facts", []) + of_contracts(task.get("columns", []))
    for way, work in WAYS.items():
        assistant = Assistant(home, facts, way)
        work(assistant, task)
        assistant.client.close()
        characters = assistant.characters + (len(skill) if way == "skill" else 0)
        row |= {f"{way} calls": assistant.calls, f"{way} tokens": characters // 4, f"{way} facts": len(facts) - len(assistant.missing)}
        problems += [f"{task['skill']}, {way}: no answer shows {shows!r} of {file}" for file, shows in assistant.missing]
    return row | {"facts": len(facts)}, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    tasks = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        home, folder = Path(scratch, "home"), Path(scratch, "supply")
        folder.mkdir()
        prepare(home, folder)
        measured = [measure(home, task) for task in tasks]
        subprocess.run([BINARY, "--data-dir", home, "stop"], check=True, stdout=subprocess.DEVNULL)
    columns = [f"{way} {figure}" for figure in ("calls", "tokens", "facts") for way in WAYS] + ["facts"]
    rows = [row for row, _ in measured]
    rows.append({"skill": "sum"} | {column: sum(row[column] for row in rows) for column in columns})
    print(f"{'skill':18}", *(f"{column:>13}" for column in columns))
    for row in rows:
        print(f"{row['skill']:18}", *(f"{row[column]:13,}" for column in columns))
    problems = [problem for _, found in measured for problem in found]
    print(*problems, sep="\n")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
