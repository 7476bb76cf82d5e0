"""The licence as plain text and Markdown. Both are read as they stand, so text and blocks are written down side by side."""

from content import TITLE

# Pages of blocks; an empty line stands between blocks, a form feed between pages.
TEXT = [
    [
        "BERTH LICENCE\n=============",
        "Søndervig Marina lets berth B12 to Zoë Łukasik;\nsigned in Århus on 3 May 2024.",
        "TERM",
        "1.  The licence runs for twelve months.\n2.  Either party may end it:\n    (a) on thirty days’ notice; or\n"
        "    (b) at once if the fee is not paid.",
        "EQUIPMENT",
        "-  Two mooring lines\n-  One shore-power plug, 16 A",
        "Item                     Berth   Fee\nMooring, summer season   B12     €4,800\nShore power              B12     €360.50",
    ],
    ["PAYMENT", "The fee is due on 1 June 2024.\nInterest of 5 % a year runs from that day."],
]

# (kind of block, text) with the separator before the next block.
MARKDOWN = [
    ("heading 1", f"# {TITLE}", "\n\n"),
    ("text", "Søndervig Marina lets berth **B12** to Zoë Łukasik;\nsigned in Århus on 3 May 2024.", "\n\n"),
    ("heading 2", "## Term", "\n\n"),
    ("item", "1. The licence runs for twelve months.", "\n"),
    ("item", "2. Either party may end it:", "\n"),
    ("item", "   - on thirty days’ notice; or", "\n"),
    ("item", "   - at once if the fee is not paid.", "\n\n"),
    ("heading 2", "## Equipment", "\n\n"),
    ("item", "* Two mooring lines", "\n"),
    ("item", "* One shore-power plug, 16 A", "\n\n"),
    # The line of dashes belongs to the header.
    ("row 1", "| Item | Berth | Fee |\n|---|---|---:|", "\n"),
    ("row 2", "| Mooring, summer season | B12 | €4,800 |", "\n"),
    ("row 3", "| Shore power | B12 | €360.50 |", "\n\n"),
    ("heading 2", "## Payment", "\n\n"),
    ("text", "The fee is due on 1 June 2024. Interest of 5 % a year runs from that day.", "\n"),
]


def pages():
    """The text of each page, which ends and starts with a line end around the form feed."""
    texts = ["\n\n".join(blocks) for blocks in TEXT]
    return [("\n" if number else "") + text + "\n" for number, text in enumerate(texts)]


def txt():
    return "\f".join(pages()).encode()


def utf16():
    """As Notepad saves it: little-endian with a byte order mark and lines that end in CR LF."""
    return b"\xff\xfe" + "\f".join(pages()).replace("\n", "\r\n").encode("utf-16-le")


def markdown():
    return "".join(text + gap for _, text, gap in MARKDOWN).encode()
