"""Writes the tables of the sample matter as XLSX, XLS, ODS and CSV."""

import csv
import io
from datetime import datetime

import tables
from fixed import MADE, repack


def write_cost_plan(path):
    """XLSX: three sheets, a merged title on each, dates, and formulas whose results are stored with them."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    book.set_properties({"title": "Harbour Point cost plan", "created": MADE})
    title = book.add_format({"bold": True, "font_size": 14, "align": "center"})
    head = book.add_format({"bold": True, "text_wrap": True, "bottom": 1})
    money = book.add_format({"num_format": "#,##0;-#,##0"})
    total = book.add_format({"num_format": "#,##0;-#,##0", "bold": True, "top": 1})
    percent = book.add_format({"num_format": "0%"})
    day = book.add_format({"num_format": "d mmm yyyy"})
    summary, plan, changes = (book.add_worksheet(name) for name in ("Summary", "Cost plan", "Change orders"))

    plan.merge_range("A1:F1", "Harbour Point Refurbishment – cost plan by element (£, excluding VAT)", title)
    plan.write_row(
        1, 0, ["Ref.", "Element", "Allowance in Contract Sum", "Share of total", "Complete", "Value of work done"], head
    )
    first, last = 3, 2 + len(tables.COST_PLAN)
    work_done = 0
    for row, (reference, element, allowance, complete) in enumerate(tables.COST_PLAN, start=first):
        done = allowance * complete
        work_done += done
        plan.write_number(row - 1, 0, reference)
        plan.write_string(row - 1, 1, element)
        plan.write_number(row - 1, 2, allowance, money)
        plan.write_formula(row - 1, 3, f"=C{row}/C${last + 1}", percent, allowance / tables.CONTRACT_SUM)
        plan.write_number(row - 1, 4, complete, percent)
        plan.write_formula(row - 1, 5, f"=C{row}*E{row}", money, done)
    plan.write_string(last, 1, "Contract Sum", head)
    plan.write_formula(last, 2, f"=SUM(C{first}:C{last})", total, tables.CONTRACT_SUM)
    plan.write_formula(last, 5, f"=SUM(F{first}:F{last})", total, work_done)

    changes.merge_range("A1:F1", "Change orders under clause 6.1", title)
    changes.write_row(1, 0, ["No.", "Description", "Net value (£)", "Status", "Approved on", "Reason"], head)
    first_change, last_change = 3, 2 + len(tables.CHANGE_ORDERS)
    for row, (number, description, value, approved, reason) in enumerate(tables.CHANGE_ORDERS, start=2):
        changes.write_row(row, 0, [number, description])
        changes.write_number(row, 2, value, money)
        changes.write_string(row, 3, "Approved" if approved else "Pending")
        if approved:
            changes.write_datetime(row, 4, datetime.combine(approved, datetime.min.time()), day)
        changes.write_string(row, 5, reason)
    values, states = f"C{first_change}:C{last_change}", f"D{first_change}:D{last_change}"
    pending = sum(value for _, _, value, approved, _ in tables.CHANGE_ORDERS if not approved)
    changes.write_string(last_change, 1, "Approved", head)
    changes.write_formula(last_change, 2, f'=SUMIF({states},"Approved",{values})', total, tables.APPROVED_CHANGES)
    changes.write_string(last_change + 1, 1, "Pending", head)
    changes.write_formula(last_change + 1, 2, f'=SUMIF({states},"Pending",{values})', total, pending)

    sum_cell, approved_cell, pending_cell = (
        f"'Cost plan'!C{last + 1}",
        f"'Change orders'!C{last_change + 1}",
        f"'Change orders'!C{last_change + 2}",
    )
    remaining = tables.CONTINGENCY - tables.APPROVED_CHANGES
    summary.merge_range("A1:C1", "Harbour Point Refurbishment – cost report No. 6", title)
    summary.write_string("A2", "Report date")
    summary.write_datetime("B2", datetime(2025, 8, 29), day)
    summary.write_row(3, 0, ["Item", "Amount (£)", "Note"], head)
    lines = [
        ("Contract Sum", f"={sum_cell}", tables.CONTRACT_SUM, "Agreement, clause 1.1(d)"),
        ("Approved change orders, net", f"={approved_cell}", tables.APPROVED_CHANGES, "CO-01 to CO-11 without CO-10"),
        ("Adjusted Contract Sum", "=B5+B6", tables.CONTRACT_SUM + tables.APPROVED_CHANGES, ""),
        ("Employer’s contingency", None, tables.CONTINGENCY, "Held outside the Contract Sum"),
        ("Contingency remaining", "=B8-B6", remaining, "Before pending change orders"),
        (
            "Contingency if CO-10 is approved",
            f"=B9-{pending_cell}",
            remaining - pending,
            "Secondary glazing, decision due 3 September 2025",
        ),
    ]
    for row, (label, formula, value, note) in enumerate(lines, start=4):
        summary.write_string(row, 0, label)
        if formula:
            summary.write_formula(row, 1, formula, money, value)
        else:
            summary.write_number(row, 1, value, money)
        summary.write_string(row, 2, note)

    for sheet, widths in (
        (summary, (34, 16, 46)),
        (plan, (6, 48, 16, 10, 10, 16)),
        (changes, (8, 50, 14, 11, 13, 26)),
    ):
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
    book.close()


def write_payments(path):
    """XLS (BIFF8): the ledger of payment applications."""
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    bold = xlwt.easyxf("font: bold true; align: wrap true")
    money = xlwt.easyxf(num_format_str="#,##0.00")
    day = xlwt.easyxf(num_format_str="dd/mm/yyyy")
    sheet = book.add_sheet("Payment ledger")
    sheet.write_merge(
        0, 0, 0, 9, "HP-2025-014 – applications for payment (£, net of 5 % retention, excluding VAT)", bold
    )
    columns = [
        "No.",
        "Application date",
        "Applied for",
        "Withheld",
        "Certified",
        "Certificate date",
        "Final date for payment",
        "Date paid",
        "Days late",
        "Remarks",
    ]
    for column, text in enumerate(columns):
        sheet.write(1, column, text, bold)
        sheet.col(column).width = 256 * (60 if text == "Remarks" else 16)
    for row, (number, applied_on, applied, withheld, certified_on, due, paid, remarks) in enumerate(
        tables.PAYMENTS, start=2
    ):
        cells = [
            (number, None),
            (applied_on, day),
            (applied, money),
            (withheld, money),
            (round(applied - withheld, 2), money),
            (certified_on, day),
            (due, day),
            (paid, day),
            (max((paid - due).days, 0), None),
            (remarks, None),
        ]
        for column, (value, style) in enumerate(cells):
            sheet.write(row, column, value, *([style] if style else []))
    book.save(str(path))


def write_programme(path):
    """ODS: the programme, with a slip in weeks computed by formula."""
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.style import Style, TableColumnProperties
    from odf.table import CoveredTableCell, Table, TableCell, TableColumn, TableRow
    from odf.text import P

    book = OpenDocumentSpreadsheet()
    book.meta.childNodes.clear()
    width = Style(name="wide", family="table-column")
    width.addElement(TableColumnProperties(columnwidth="6cm"))
    book.automaticstyles.addElement(width)
    sheet = Table(name="Programme October 2025")
    sheet.addElement(TableColumn(stylename=width, numbercolumnsrepeated=7))
    book.spreadsheet.addElement(sheet)

    def add_row(*cells):
        row = TableRow()
        for cell in cells:
            row.addElement(cell)
        sheet.addElement(row)

    def text(value, **options):
        cell = TableCell(valuetype="string", **options)
        cell.addElement(P(text=value))
        return cell

    def day(value):
        cell = TableCell(valuetype="date", datevalue=value.isoformat())
        cell.addElement(P(text=f"{value:%d/%m/%Y}"))
        return cell

    def number(value, formula):
        cell = TableCell(valuetype="float", value=value, formula=formula)
        cell.addElement(P(text=f"{value:g}"))
        return cell

    heading = "Harbour Point Refurbishment – programme revision F, data date 30 September 2025"
    add_row(text(heading, numbercolumnsspanned=7, numberrowsspanned=1), *(CoveredTableCell() for _ in range(6)))
    add_row(
        *map(
            text,
            [
                "Activity",
                "Planned start",
                "Planned finish",
                "Forecast finish",
                "Slip (weeks)",
                "Critical",
                "Responsible",
            ],
        )
    )
    for row, (activity, start, finish, forecast, critical, responsible) in enumerate(tables.ACTIVITIES, start=3):
        slip = (forecast - finish).days / 7
        formula = f"of:=ROUND(([.D{row}]-[.C{row}])/7;1)"
        add_row(
            text(activity),
            day(start),
            day(finish),
            day(forecast),
            number(round(slip, 1), formula),
            text("yes" if critical else "no"),
            text(responsible),
        )
    book.save(str(path))
    repack(path)


def write_deliveries(path):
    """CSV as a spreadsheet program on a western European desktop writes it: Windows-1252, semicolons, CRLF."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";", lineterminator="\r\n")
    writer.writerow(tables.DELIVERY_COLUMNS)
    writer.writerows(tables.DELIVERIES)
    path.write_bytes(buffer.getvalue().encode("windows-1252"))
