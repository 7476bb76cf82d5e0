#!/usr/bin/env python3
"""Measures e-mail threads on a mailbox made for it: which messages stand together, which one each answers, and whom a quotation is attributed to.

usage: threads.py [--casetrack PROGRAM] [--threads N] [--seed N] [--keep FOLDER]

Makes N conversations of 1 to 8 messages as one MBOX file, as Outlook, Gmail and Thunderbird write them: replies that quote with `>` or below
the headers of the other message, answers below or between quoted lines, prefixes in five languages, forwarded messages, branches. Half of the
replies have References and In-Reply-To, a quarter In-Reply-To alone, a quarter no ids at all; of every tenth conversation the first message is
not in the mailbox. Subjects come from a short list, so that different conversations of different people have the same one, also at the
same time.

Printed are, of all pairs of messages, precision and recall of being in one thread; the share of answers that stand below the message they
answer; and of all quotations precision and recall of the message they are attributed to: by the ids that the answers have. Needs the Python
standard library only.
"""
import argparse, collections, datetime, email.utils, itertools, json, os, random, subprocess, tempfile
from pathlib import Path

PEOPLE = [f"{first} {last}" for first in "Ada Ben Cleo Dirk Elif Femi Gwen Hugo Ines Jona".split() for last in "Abel Brandt Castor Dahl Eker".split()]
SUBJECTS = ["Lease of the quay", "Invoice 2024-17", "Meeting", "Your letter", "Draft agreement", "Insurance", "Survey of the roof", "Hello"]
ANSWERS = ["Re", "RE", "AW", "Antw", "SV"]
FORWARDS = ["Fwd", "WG", "TR"]
WORDS = """berth crane delay deposit engine fender gate harbour inspection jetty keel ledger mooring notice oil permit quay rent slip tide usage
vessel winch yard anchor buoy cargo dock estimate freight hull invoice landing mast net order pilot repair sail timber warrant""".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--threads", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="casetrack-threads-") as folder:
        folder = options.keep or Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        mails = mailbox(random.Random(options.seed), options.threads)
        kept = [mail for mail in mails if not mail.missing]
        (folder / "mail.mbox").write_text("".join(f"From sender@example.org Mon Jan  1 00:00:00 2024\n{mail.source()}\n" for mail in kept))
        threads = listed(options.casetrack, folder)
        report(kept, threads)


class Mail:
    """A message, and what is true of it."""

    def __init__(self, number, thread, sender, recipients, subject, date, own, answered=None, forwarded=False):
        self.number, self.thread, self.sender, self.recipients = number, thread, sender, recipients
        self.subject, self.date, self.own, self.answered, self.forwarded = subject, date, own, answered, forwarded
        self.id = f"<{number}.{thread}@example.org>"
        self.headers, self.body, self.missing = [], "", False

    def address(self, person):
        return f"{person} <{person.lower().replace(' ', '.')}@example.org>"

    def source(self):
        lines = [
            f"From: {self.address(self.sender)}",
            f"To: {', '.join(map(self.address, self.recipients))}",
            f"Date: {email.utils.format_datetime(self.date)}",
            f"Subject: {self.subject}",
            f"Message-ID: {self.id}",
            *self.headers,
            "Content-Type: text/plain; charset=utf-8",
        ]
        return "\n".join(lines) + "\n\n" + self.body + "\n"


def sentence(rng):
    words = rng.sample(WORDS, rng.randint(6, 12))
    return f"{words[0].capitalize()} {' '.join(words[1:])} {rng.randint(100, 99999)}."


def mailbox(rng, count):
    mails = []
    for thread in range(count):
        subject = rng.choice(SUBJECTS)
        people = rng.sample(PEOPLE, rng.randint(2, 4))
        date = datetime.datetime(2024, 1, 1, 8, tzinfo=datetime.timezone.utc) + datetime.timedelta(minutes=rng.randint(0, 120 * 24 * 60))
        conversation = []
        for number in range(rng.choice([1, 1, 2, 3, 4, 5, 6, 8])):
            own = [sentence(rng) for _ in range(rng.randint(2, 5))]
            answered = rng.choice(conversation[-2:]) if conversation else None
            date += datetime.timedelta(minutes=rng.randint(5, 3 * 24 * 60))
            if not answered:
                mail = Mail(len(mails), thread, people[0], people[1:], subject, date, own)
                mail.body = "\n".join(own)
            else:
                others = [answered.sender, *answered.recipients]
                sender = rng.choice([one for one in others if one != answered.sender] or others)
                forwarded = rng.random() < 0.1
                recipients = [rng.choice(PEOPLE)] if forwarded else [one for one in others if one != sender]
                prefix = rng.choice(FORWARDS if forwarded else ANSWERS)
                mail = Mail(len(mails), thread, sender, recipients, f"{prefix}: {answered.subject}", date, own, answered, forwarded)
                quote(rng, mail)
                ids = rng.random()
                if ids < 0.75:
                    mail.headers.append(f"In-Reply-To: {answered.id}")
                if ids < 0.5:
                    chain, at = [], answered
                    while at:
                        chain.insert(0, at.id)
                        at = at.answered
                    mail.headers.append(f"References: {' '.join(chain)}")
            conversation.append(mail)
            mails.append(mail)
        if thread % 10 == 0 and len(conversation) > 2:
            conversation[0].missing = True
    rng.shuffle(mails)
    return mails


def quote(rng, mail):
    answered, own = mail.answered, mail.own
    on = f"{answered.date:%a, %d %b %Y at %H:%M}"
    style = "headers" if mail.forwarded else rng.choice(["above", "below", "between", "headers", "none"])
    quoted = [f"> {line}" for line in answered.body.splitlines()]
    mail.quotes = style != "none"
    if style == "above":
        mail.body = "\n".join([*own, "", f"On {on} {answered.sender} wrote:", *quoted])
    elif style == "below":
        mail.body = "\n".join([f"On {on} {answered.sender} wrote:", *quoted, "", *own])
    elif style == "between":
        half = len(quoted) // 2
        mail.body = "\n".join([f"On {on} {answered.sender} wrote:", *quoted[:half], "", own[0], "", *quoted[half:], "", *own[1:]])
    elif style == "headers":
        head = [f"From: {answered.sender}", f"Sent: {on}", f"To: {', '.join(answered.recipients)}", f"Subject: {answered.subject}"]
        mail.body = "\n".join([*own, "", "-----Original Message-----", *head, "", answered.body])
    else:
        mail.body = "\n".join(own)


def listed(program, folder):
    """The threads as `casetrack threads` gives them, one after the other."""
    def run(*arguments):
        done = subprocess.run([program, "--data-dir", folder / "home", "--json", *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"casetrack {arguments[0]}: {done.stderr or done.stdout}")
        return done.stdout

    run("new", "Mail")
    run("ingest", folder / "mail.mbox", "-c", "Mail")
    threads, offset = [], 0
    while offset is not None:
        part = json.loads(run("threads", "-c", "Mail", "--limit", 100, "--offset", offset))
        threads += part["threads"]
        offset = part.get("next_offset")
    subprocess.run([program, "--data-dir", folder / "home", "-q", "stop"], capture_output=True)
    return threads


def report(mails, threads):
    # A message is known by the date that it states: no two have the same sender and second.
    known = {(mail.sender, int(mail.date.timestamp())): mail for mail in mails}
    names, thread_of, parent_of, quoted = {}, {}, {}, collections.defaultdict(set)
    for number, thread in enumerate(threads):
        above = []
        for message in thread["messages"]:
            del above[message["depth"]:]
            mail = None
            if "missing" not in message:
                sender = message["from"].split("<")[0].strip().strip('"')
                mail = known[sender, int(datetime.datetime.fromisoformat(message["date"]).timestamp())]
                names[message["document_name"]] = mail
                thread_of[mail] = number
                parent_of[mail] = above[-1] if above else None
            above.append(mail)
    for thread in threads:
        for message in thread["messages"]:
            for one in message.get("quotes", []):
                quoted[names[message["document_name"]]].add(names[one["document_name"]])
    together = {pair for pair in itertools.combinations(mails, 2) if thread_of[pair[0]] == thread_of[pair[1]]}
    true = {pair for pair in itertools.combinations(mails, 2) if pair[0].thread == pair[1].thread}
    right = len(together & true)
    print(f"{len(mails)} messages of {len({mail.thread for mail in mails})} conversations; {len(threads)} threads listed")
    print(f"pairs in one thread: precision {right / len(together):.4f}, recall {right / len(true):.4f}")
    answers = [mail for mail in mails if mail.answered and not mail.answered.missing]
    kinds = collections.Counter()
    for mail in answers:
        ids = "References" if len(mail.headers) == 2 else "In-Reply-To" if mail.headers else "no ids, quoted" if mail.quotes else "no ids, nothing quoted"
        kinds[ids, parent_of[mail] is mail.answered] += 1
    for kind in sorted({kind for kind, _ in kinds}):
        print(f"answers with {kind}: {kinds[kind, True]} of {kinds[kind, True] + kinds[kind, False]} below what they answer")
    true_quotes = {(mail, mail.answered) for mail in answers if mail.quotes}
    for mail, answered in list(true_quotes):
        # What was quoted is quoted again; between quoted lines it is whole only in the message itself.
        while answered.answered and answered.quotes and not answered.answered.missing:
            answered = answered.answered
            true_quotes.add((mail, answered))
    direct = {(mail, mail.answered) for mail in answers if mail.quotes}
    found = {(mail, one) for mail, ones in quoted.items() for one in ones}
    print(f"quotations: precision {len(found & true_quotes) / len(found):.4f}, recall of what is answered {len(found & direct) / len(direct):.4f}, "
          f"with what is quoted in it {len(found & true_quotes) / len(true_quotes):.4f}")


if __name__ == "__main__":
    main()
