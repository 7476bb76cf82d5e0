"""What must be read from each fixture, derived from what was put in, never from what the program says.

How things are written is the program's choice and the same everywhere: a table row is a line with its cells joined by tabs,
a list label stands before its item, a footnote is `[1]` in the text and at the end of its page, speaker's notes follow "Notes: ".
"""

import json

from content import NOTE, NOTE_MARK


class Page:
    """A page as it is put together; blocks stand on lines of their own."""

    def __init__(self, method="Native", sheet_name=None):
        self.method, self.sheet_name = method, sheet_name
        self.blocks = []
        self.text = None
        self.tables = 0

    def block(self, kind, text):
        self.blocks.append({"kind": kind, "text": text})

    def rows(self, rows, headers=1, comments={}):
        """A table of texts, `None` or "" where a cell is empty. The first `headers` rows name the columns. `comments` are (column,
        text) by the number of their row."""
        for number, cells in enumerate(rows, start=1):
            filled = [column for column, cell in enumerate(cells, start=1) if cell]
            first, last = filled[0], filled[-1]
            kind = {
                "table": self.tables,
                "row": number,
                "first_column": first,
                "last_column": last,
                "header": number <= headers,
            }
            self.block({"TableRow": kind}, "\t".join(cell or "" for cell in cells[first - 1 : last]))
            if number in comments:
                column, text = comments[number]
                self.block({"TableRow": {**kind, "first_column": column, "last_column": column}}, text)
        self.tables += 1

    def to_json(self):
        text = "\n".join(block["text"] for block in self.blocks) if self.text is None else self.text
        return {"method": self.method, "sheet_name": self.sheet_name, "text": text, "blocks": self.blocks}


def verbatim(text, kinds):
    """A page that is the file's own text: `kinds` are (kind, text of the block), in order."""
    page = Page()
    page.text = text
    for kind, block in kinds:
        page.block(kind, block)
    return page


def heading(level):
    return {"Heading": {"level": level}}


def flow(pages, notes=True, second_label="({})", bullet="•"):
    """Pages of content.py as a word processor's file gives them. `second_label` numbers the second level of a list."""
    found = []
    for blocks in pages:
        page = Page()
        add_blocks(page, blocks, notes, second_label, bullet)
        if notes and any(kind == "text" and NOTE_MARK in rest[0] for kind, *rest in blocks):
            page.block("Paragraph", f"[1] {NOTE}")
        found.append(page)
    return found


def add_blocks(page, blocks, notes=False, second_label="({})", bullet="•"):
    counters = [0, 0]
    for kind, *rest in blocks:
        if kind == "heading":
            page.block(heading(rest[0]), rest[1])
        elif kind == "text":
            page.block("Paragraph", rest[0].replace(NOTE_MARK, "[1]" if notes else ""))
        elif kind == "number":
            level, text = rest
            counters[level] += 1
            counters[level + 1 :] = [0] * (1 - level)
            label = f"{counters[0]}." if level == 0 else second_label.format("abc"[counters[1] - 1])
            page.block("ListItem", f"{label} {text}")
        elif kind == "bullet":
            page.block("ListItem", f"{bullet} {rest[0]}")
        else:
            page.rows(rest[0])


def expectation(
    format, pages, title=None, attachments=(), warnings=(), phrases=(), password=None, unpaged=False
):
    """The whole of an expected/NAME.json. `phrases` are texts whose first place in the document is stated. `unpaged`: the
    file does not say where its pages end."""
    pages = [page.to_json() for page in pages]
    found = {
        "format": format,
        "title": title,
        "pages": pages,
        "attachments": list(attachments),
        "warnings": list(warnings),
        "provenance": [place(pages, phrase) for phrase in phrases],
    }
    if unpaged:
        found["unpaged"] = True
    if password:
        found["password"] = password
    return found


def place(pages, phrase):
    for number, page in enumerate(pages, start=1):
        start = page["text"].find(phrase)
        if start >= 0:
            line = page["text"].count("\n", 0, start) + 1
            return {
                "phrase": phrase,
                "page": number,
                "line": line,
                "char_start": start,
                "char_end": start + len(phrase),
            }
    raise ValueError(f"{phrase!r} is on no page")


def write(folder, name, expected):
    (folder / f"{name}.json").write_text(laid_out(expected) + "\n", encoding="utf-8", newline="\n")


def laid_out(value, indent=""):
    """JSON with what fits on one line on one line, so that a block is a line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(indent + flat) <= 160:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        items = [laid_out(item, inner) for item in value]
    else:
        items = [f"{json.dumps(key)}: {laid_out(item, inner)}" for key, item in value.items()]
    first, last = "[]" if isinstance(value, list) else "{}"
    return first + ",".join(f"\n{inner}{item}" for item in items) + f"\n{indent}{last}"
