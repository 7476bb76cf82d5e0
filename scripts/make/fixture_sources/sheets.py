"""The table of fees as CSV, TSV, XLSX and OpenDocument."""

import csv
import io
import zipfile
from datetime import date, datetime

from archive import zipped
from content import COMMENT, DELIVERIES, FEES, FEES_HEADER, FEES_TOTAL, OLD_RATES, RATES, WORKBOOK_TITLE
from words import opendocument

MADE = datetime(2024, 5, 3, 9, 0, 0)


def delimited(delimiter, encoding):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(DELIVERIES)
    return buffer.getvalue().encode(encoding)


# How each file displays an amount and a date. The system's own order of dates (XLSB) is read as ISO 8601.
DISPLAYED = {
    "xlsx": (lambda amount: f"€ {amount:,.2f}", lambda day: f"{day.day} {day:%b %Y}"),
    "xlsb": (lambda amount: f"{amount:,.2f}", date.isoformat),
    "xls": (lambda amount: f"€{amount:,.2f}", lambda day: f"{day:%d.%m.%Y}"),
    "ods": (lambda amount: f"€{amount:,.2f}", lambda day: f"{day:%d.%m.%Y}"),
}


def xlsx():
    import xlsxwriter

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    book.set_properties({"title": WORKBOOK_TITLE, "created": MADE})
    head = book.add_format({"bold": True, "align": "center"})
    money = book.add_format({"num_format": "[$€-2] #,##0.00"})
    day = book.add_format({"num_format": "d mmm yyyy"})
    fees, rates, old = (book.add_worksheet(name) for name in ("Fees", "Rates", "Old rates"))
    for column in (0, 1, 4):
        fees.merge_range(0, column, 1, column, FEES_HEADER[0][column], head)
    fees.merge_range("C1:D1", FEES_HEADER[0][2], head)
    fees.write_row("C2", FEES_HEADER[1][2:4], head)
    for row, (berth, holder, summer, winter, paid) in enumerate(FEES, start=2):
        fees.write_row(row, 0, [berth, holder])
        fees.write_row(row, 2, [summer, winter], money)
        fees.write_datetime(row, 4, datetime.combine(paid, datetime.min.time()), day)
    last = 2 + len(FEES)
    fees.write_string(last, 0, FEES_TOTAL[0], head)
    for column, letter in ((2, "C"), (3, "D")):
        fees.write_formula(last, column, f"=SUM({letter}3:{letter}{last})", money, FEES_TOTAL[column])
    fees.write_comment("C4", COMMENT, {"author": "Office"})
    for sheet, rows in ((rates, RATES), (old, OLD_RATES)):
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row, head if number == 0 else None)
    old.hide()
    book.close()
    with zipfile.ZipFile(buffer) as archive:
        return zipped([(name, archive.read(name)) for name in archive.namelist()])


def ods():
    def cell(value, span="", style="", annotation=""):
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, date):
            kind, text = f'office:value-type="date" office:date-value="{value.isoformat()}"', f"{value:%d.%m.%Y}"
        elif isinstance(value, str):
            kind, text = 'office:value-type="string"', value
        elif style == "Euro":
            kind, text = f'office:value-type="currency" office:currency="EUR" office:value="{value}"', f"€{value:,.2f}"
        else:
            kind, text = f'office:value-type="float" office:value="{value}"', f"{value}"
        styled = f'table:style-name="{style}"' if style else ""
        return f"<table:table-cell {styled} {kind} {span}>{annotation}<text:p>{text}</text:p></table:table-cell>"

    def row(cells):
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def sheet(name, rows, style=""):
        styled = f' table:style-name="{style}"' if style else ""
        return f'<table:table table:name="{name}"{styled}>{"".join(rows)}</table:table>'

    covered = "<table:covered-table-cell/>"
    down = 'table:number-columns-spanned="1" table:number-rows-spanned="2"'
    across = 'table:number-columns-spanned="2" table:number-rows-spanned="1"'
    berth, holder, fee, _, paid = FEES_HEADER[0]
    rows = [
        row([cell(berth, down), cell(holder, down), cell(fee, across), covered, cell(paid, down)]),
        row([covered, covered, cell(FEES_HEADER[1][2]), cell(FEES_HEADER[1][3]), covered]),
    ]
    note = (
        "<office:annotation><dc:creator>Office</dc:creator><dc:date>2024-05-03T09:00:00</dc:date>"
        f"<text:p>{COMMENT}</text:p></office:annotation>"
    )
    for number, (berth, holder, summer, winter, paid) in enumerate(FEES):
        rows.append(
            row(
                [
                    cell(berth),
                    cell(holder),
                    cell(summer, style="Euro", annotation=note if number == 1 else ""),
                    cell(winter, style="Euro"),
                    cell(paid, style="Day"),
                ]
            )
        )
    last = 2 + len(FEES)
    sums = [
        cell(FEES_TOTAL[column], f'table:formula="of:=SUM([.{letter}3:.{letter}{last}])"', "Euro")
        for column, letter in ((2, "C"), (3, "D"))
    ]
    rows.append(row([cell(FEES_TOTAL[0]), cell(None), *sums]))
    styles = (
        '<number:currency-style style:name="N1"><number:currency-symbol>€</number:currency-symbol>'
        '<number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:currency-style>'
        '<number:date-style style:name="N2"><number:day number:style="long"/><number:text>.</number:text>'
        '<number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>'
        '<style:style style:name="Euro" style:family="table-cell" style:data-style-name="N1"/>'
        '<style:style style:name="Day" style:family="table-cell" style:data-style-name="N2"/>'
        '<style:style style:name="Hidden" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    tables = [
        sheet("Fees", rows),
        sheet("Rates", [row([cell(value) for value in line]) for line in RATES]),
        sheet("Old rates", [row([cell(value) for value in line]) for line in OLD_RATES], "Hidden"),
    ]
    body = f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet>"
    return opendocument("spreadsheet", WORKBOOK_TITLE, styles, body)
