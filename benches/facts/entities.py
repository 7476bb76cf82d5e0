#!/usr/bin/env python3
"""Measures the names that the whole pipeline finds (persons, organizations, locations) against spaCy alone.

usage: entities.py DATA_DIR [--model MODEL] [--spans FILE] [--example PROGRAM] [--errors N]

DATA_DIR holds entities/SET/SPLIT.docs.jsonl, a document a line with `text` and `entities` (`start`, `end`, `label`: PER, ORG, LOC),
and contracts/manifest.jsonl with contracts/txt/ID.txt and `parties_quotes` and `governing_law` of each.
MODEL is a spaCy model (en_core_web_sm, or the folder of one), which is run in this process and whose spans are also what the rules
work on; FILE keeps its spans from one run to the next. Needs spaCy, unless FILE has all.

Printed are precision, recall and F1 for equal spans and types. In the loan agreements "Borrower" and "Lender" are annotated as PER
throughout, whether they are companies or people; a mention of these words as a person or an organization counts as right here (PARTY),
for both alike, since it stands for a legal person; "raw" says what the figures are otherwise. Rules were tuned on train_FIN5 and the even documents of WikiGold; the others are the ones to look at.
The contracts have no part that was held out. Of them: the share of the annotated names of parties that are mentions of a person or organization (case and punctuation
aside), and of the governing states or countries that are locations.
"""
import argparse, collections, json, os, re, subprocess

TYPES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC", "person": "PER", "organization": "ORG", "location": "LOC"}
PARTY_ROLES = {"borrower", "lender"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--model", default="en_core_web_sm")
    parser.add_argument("--spans")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--example", default=os.path.join(target, "release", "examples", "entities"))
    parser.add_argument("--errors", type=int, default=0, help="print the N most frequent errors of the tuning sets")
    options = parser.parse_args()
    recognize = Recognizer(options.model, options.spans)
    for name, path, tuned in [("sec_loans train_FIN5", "sec_loans/train_FIN5", lambda i: True), ("sec_loans test_FIN3", "sec_loans/test_FIN3", lambda i: False),
                              ("wikigold", "wikigold/all", lambda i: i % 2 == 0)]:
        documents = [json.loads(line) for line in open(os.path.join(options.data, "entities", path + ".docs.jsonl"))]
        spans = [recognize(d["_id"], d["text"]) for d in documents]
        found = pipeline(options.example, [{"text": d["text"], "spans": s} for d, s in zip(documents, spans)])
        for part in (True, False):
            chosen = [i for i in range(len(documents)) if tuned(i) == part]
            if not chosen:
                continue
            print(f"\n{name}, {'tuned on' if part else 'held out'}: {len(chosen)} documents")
            for raw in (False, True) if name.startswith("sec") else (False,):
                gold = [gold_of(documents[i], raw) for i in chosen]
                label = " (raw)" if raw else ""
                alone = [[(a, b, TYPES[t]) for a, b, t in spans[i] if t in TYPES] for i in chosen]
                ours = [[(m[0], m[1], TYPES[m[2]]) for m in found[i][0]] for i in chosen]
                alone, ours = ([typed(documents[i]["text"], items, raw) for i, items in zip(chosen, found)] for found in (alone, ours))
                score("spaCy alone" + label, gold, alone)
                score("pipeline" + label, gold, ours)
                if part and options.errors and not raw:
                    errors([documents[i]["text"] for i in chosen], gold, ours, options.errors)
    contracts(options, recognize)
    recognize.keep()


class Recognizer:
    """spaCy's named entities, [start, end, label] in characters."""

    def __init__(self, model, path):
        self.model, self.path, self.nlp, self.new = model, path, None, False
        self.spans = {}
        if path and os.path.exists(path):
            self.spans = {d["_id"]: d["spans"] for d in map(json.loads, open(path))}

    def __call__(self, key, text):
        if key not in self.spans:
            if self.nlp is None:
                import spacy
                self.nlp = spacy.load(self.model)
                self.nlp.select_pipes(enable=["tok2vec", "ner"])
                self.nlp.max_length = 10**7
            self.spans[key] = [[e.start_char, e.end_char, e.label_] for e in self.nlp(text).ents]
            self.new = True
        return self.spans[key]

    def keep(self):
        if self.path and self.new:
            with open(self.path, "w") as out:
                for key, spans in self.spans.items():
                    out.write(json.dumps({"_id": key, "spans": spans}) + "\n")


def pipeline(program, documents):
    """[[[start, end, type, role, alias], …] for each page] for each document."""
    run = subprocess.run([program], input="".join(json.dumps(d) + "\n" for d in documents), capture_output=True, text=True, check=True)
    print("\nrules:", run.stderr.strip())
    return [json.loads(line)["pages"] for line in run.stdout.splitlines()]


def gold_of(document, raw):
    return typed(document["text"], [(e["start"], e["end"], e["label"]) for e in document["entities"] if e["label"] != "MISC"], raw)


def typed(text, items, raw):
    """The items as a set; a person or an organization that is a party word becomes PARTY."""
    party = lambda a, b, t: not raw and t != "LOC" and text[a:b].lower() in PARTY_ROLES
    return {(a, b, "PARTY" if party(a, b, t) else t) for a, b, t in items}


def score(name, gold, found):
    counts = collections.Counter()
    for wanted, got in zip(gold, found):
        for kind, items in ("tp", wanted & got), ("fp", got - wanted), ("fn", wanted - got):
            for item in items:
                counts[item[2], kind] += 1
                counts["all", kind] += 1
    print(f"  {name:20}", "  ".join(f"{t} " + "/".join(f"{x:.3f}" for x in prf(counts, t)) for t in ("PER", "ORG", "LOC", "PARTY", "all") if any(counts[t, k] for k in ("tp", "fp", "fn"))))


def prf(counts, label):
    tp, fp, fn = (counts[label, kind] for kind in ("tp", "fp", "fn"))
    return tp / max(1, tp + fp), tp / max(1, tp + fn), 2 * tp / max(1, 2 * tp + fp + fn)


def errors(texts, gold, found, most):
    wrong, missed = collections.Counter(), collections.Counter()
    for text, wanted, got in zip(texts, gold, found):
        at = {item[:2]: item[2] for item in wanted}
        wrong.update((text[a:b], t, at.get((a, b), "")) for a, b, t in got - wanted)
        missed.update((text[a:b], t) for a, b, t in wanted - got)
    print("  wrong:", wrong.most_common(most), "\n  missed:", missed.most_common(most))


def contracts(options, recognize):
    base = os.path.join(options.data, "contracts")
    rows = [json.loads(line) for line in open(os.path.join(base, "manifest.jsonl"))]
    texts = [open(os.path.join(base, "txt", row["_id"] + ".txt"), newline="").read() for row in rows]
    spans = [recognize("c:" + row["_id"], text) for row, text in zip(rows, texts)]
    found = pipeline(options.example, [{"text": t, "spans": s} for t, s in zip(texts, spans)])
    alone = [[[[a, b, {"PER": "person", "ORG": "organization", "LOC": "location"}[TYPES[t]]] for a, b, t in s if t in TYPES]] for s in spans]
    print("\ncontracts:", len(rows))
    for name, results in ("spaCy alone", alone), ("pipeline", found):
        parties, laws, missing = [0, 0], [0, 0], []
        for row, text, pages in zip(rows, texts, results):
            names = {plain(text[m[0]:m[1]]) for m in pages[0] if m[2] != "location"}
            places = {plain(text[m[0]:m[1]]) for m in pages[0] if m[2] == "location"}
            places |= {re.sub(r"^(the )?(state|commonwealth|province|republic) of ", "", place) for place in places}
            for party in sorted({p for quote in row["parties_quotes"] for p in party_names(quote)}):
                parties[party in names] += 1
                if party not in names:
                    missing.append((row["_id"][:20], party))
            for law in filter(None, re.split(r"[;,]| and ", row["governing_law"])):
                law = re.sub(r"^(the )?(state|commonwealth|province|republic) of ", "", plain(law))
                laws[law in places] += 1
                if law not in places:
                    missing.append((row["_id"][:20], "law: " + law))
        print(f"  {name:12} parties {parties[1]}/{sum(parties)} = {parties[1] / sum(parties):.3f}  governing law {laws[1]}/{sum(laws)} = {laws[1] / sum(laws):.3f}")
        if options.errors and name == "pipeline":
            print("  missing:", missing)


def plain(text):
    text = re.sub(r"\s+", " ", re.sub(r"[^\w\s&]", "", text)).strip().lower()
    return re.sub(r"^the ", "", text)


def party_names(quote):
    """The names in an annotation: the quoted terms of one that is a definition, else all of it; none of a placeholder or of
    the words for all parties ("Party", "you")."""
    quoted = re.findall(r"[\"“?'‘]+([^\"”“?]+?)[\"”?'’]+(?=\W|$)", quote) if re.search(r"[\"“?]|^'", quote) else []
    quote = re.sub(r"^Party [A-Z] .*?: ", "", quote)
    head = re.split(r"\((?=[^)]*[\"“?]|formerly)|[\"“?]", quote)[0]
    names = quoted + ([head] if len(head.split()) <= 8 else [])
    for name in names:
        name = plain(name)
        words = name.split()
        generic = {"party", "parties", "joint", "venturers", "venturer", "individually", "collectively", "you", "your", "we", "us", "our", "each", "and", "or", "to",
                   "this", "agreement", "a", "the", "company", "set", "forth", "below", "as"} if len(words) > 1 else {"party", "parties", "you", "we", "us", "our"}
        if name and name != "the" and words[-1] != "parties" and len(words) <= 9 and not all(w in generic for w in words) and not re.match(r"(each|together|collectively|formerly|also|hereinafter|you|for|and|or|aka|its|shall|bach|\W)\b", name):
            yield name


if __name__ == "__main__":
    main()
