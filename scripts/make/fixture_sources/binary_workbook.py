"""The table of fees as XLSB: records of BIFF12 ([MS-XLSB] 2.1.4), only those that a workbook must have."""

import struct
from datetime import date

from archive import CORE, CORE_TYPE, content_types, core_properties, relationships, zipped
from content import FEES, FEES_HEADER, FEES_TOTAL, OLD_RATES, RATES, WORKBOOK_TITLE

# Cell formats, by their place in the table of formats below.
PLAIN, MONEY, DAY = 0, 1, 2
DAY_FORMAT, MONEY_FORMAT = 14, 4


def record(kind, data=b""):
    """A record: its type in one or two bytes, the length in groups of seven bits."""
    head = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size, length = len(data), b""
    while True:
        length += bytes([size & 0x7F | (0x80 if size >= 0x80 else 0)])
        size >>= 7
        if not size:
            return head + length + data


def wide(text):
    """An XLWideString."""
    units = text.encode("utf-16-le")
    return struct.pack("<I", len(units) // 2) + units


def cell(column, value, style=PLAIN):
    head = struct.pack("<II", column, style)
    if isinstance(value, str):
        return record(6, head + wide(value))  # BrtCellSt
    number = (value - date(1899, 12, 30)).days if isinstance(value, date) else value
    return record(5, head + struct.pack("<d", number))  # BrtCellReal


def row(number, cells):
    """BrtRowHdr and its cells."""
    first, last = cells[0][0], cells[-1][0]
    head = struct.pack("<IIHBBBIII", number, 0, 300, 0, 0, 0, 1, first, last)
    return record(0, head) + b"".join(cell(*one) for one in cells)


def filled(values, styles=()):
    """(column, value, style) of the cells that hold something."""
    styles = dict(styles)
    return [(column, value, styles.get(column, PLAIN)) for column, value in enumerate(values) if value is not None]


def sheet(rows, merged=()):
    width = max(cells[-1][0] for cells in rows)
    out = record(129) + record(148, struct.pack("<IIII", 0, len(rows) - 1, 0, width))  # BrtBeginSheet, BrtWsDim
    out += record(145) + b"".join(row(number, cells) for number, cells in enumerate(rows)) + record(146)
    if merged:
        areas = b"".join(record(176, struct.pack("<IIII", *area)) for area in merged)
        out += record(177, struct.pack("<I", len(merged))) + areas + record(178)
    return out + record(130)


def styles():
    def part(begin, end, items):
        return record(begin, struct.pack("<I", len(items))) + b"".join(items) + record(end)

    font = struct.pack("<HHHHBBBB", 220, 0, 400, 0, 0, 2, 0, 0) + bytes([0, 0, 0, 0, 0, 0, 0, 255, 2]) + wide("Calibri")
    colour = bytes([1, 64, 0, 0, 0, 0, 0, 255])
    fill = struct.pack("<I", 0) + colour * 2 + struct.pack("<I", 0) + bytes(40) + struct.pack("<I", 0)
    side = bytes([0, 0]) + colour

    def format(number_format, parent):
        return record(47, struct.pack("<HHHHHBBHBB", parent, number_format, 0, 0, 0, 0, 0, 0, 0, 0))

    name = struct.pack("<IHBB", 0, 1, 0, 0) + wide("Normal")
    return (
        record(278)
        + part(611, 612, [record(43, font)])
        + part(603, 604, [record(45, fill)])
        + part(613, 614, [record(46, b"\0" + side * 5)])
        + part(626, 627, [format(0, 0xFFFF)])
        + part(617, 618, [format(0, 0), format(MONEY_FORMAT, 0), format(DAY_FORMAT, 0)])
        + part(619, 620, [record(48, name)])
        + record(279)
    )


def workbook(names):
    """`names` are (name of a sheet, whether it is hidden)."""
    sheets = b"".join(
        record(156, struct.pack("<II", int(hidden), number) + wide(f"rId{number}") + wide(name))
        for number, (name, hidden) in enumerate(names, start=1)
    )
    properties = record(153, struct.pack("<II", 0, 0) + wide(""))
    return record(131) + properties + record(143) + sheets + record(144) + record(132)


def xlsb():
    money_and_day = [(2, MONEY), (3, MONEY), (4, DAY)]
    rows = [filled(line) for line in FEES_HEADER]
    rows += [filled(line, money_and_day) for line in [*FEES, FEES_TOTAL]]
    merged = [(0, 1, column, column) for column in (0, 1, 4)] + [(0, 0, 2, 3)]
    sheets = [
        ("Fees", False, sheet(rows, merged)),
        ("Rates", False, sheet([filled(line) for line in RATES])),
        ("Old rates", True, sheet([filled(line) for line in OLD_RATES])),
    ]
    kind = "application/vnd.ms-excel"
    parts = [(f"worksheets/sheet{number}.bin", content) for number, (_, _, content) in enumerate(sheets, start=1)]
    types = [("xl/workbook.bin", f"{kind}.sheet.binary.macroEnabled.main"), ("xl/styles.bin", f"{kind}.styles")]
    types += [(f"xl/{name}", f"{kind}.worksheet") for name, _ in parts] + [("docProps/core.xml", CORE_TYPE)]
    links = [("worksheet", name) for name, _ in parts] + [("styles", "styles.bin")]
    return zipped(
        [
            ("[Content_Types].xml", content_types(types, [("bin", "application/octet-stream")])),
            ("_rels/.rels", relationships([("officeDocument", "xl/workbook.bin"), (CORE, "docProps/core.xml")])),
            ("xl/_rels/workbook.bin.rels", relationships(links)),
            ("xl/workbook.bin", workbook([(name, hidden) for name, hidden, _ in sheets])),
            ("xl/styles.bin", styles()),
            *((f"xl/{name}", content) for name, content in parts),
            ("docProps/core.xml", core_properties(WORKBOOK_TITLE)),
        ]
    )
