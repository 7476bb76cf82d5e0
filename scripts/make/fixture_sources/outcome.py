"""What is expected of every fixture, by file name."""

import content
import drafts
import enclosures
import envelopes
import filing
import rare_encodings
import mail
import plain
import printed
import sheets
from expected import Page, add_blocks, expectation, flow, heading, verbatim

PASSWORD = "kaj-12"
LICENCE_PHRASES = ["Zoë Łukasik", "thirty days’ notice", "€360.50", "Interest of 5 % a year"]
HIDDEN = 'Sheet "Old rates" is hidden; its text is included.'


def text():
    pages = [
        verbatim(page, [("Paragraph", block) for block in blocks]) for page, blocks in zip(plain.pages(), plain.TEXT)
    ]
    return expectation("text", pages, phrases=LICENCE_PHRASES)


def markdown():
    kinds = []
    for kind, block, _ in plain.MARKDOWN:
        word, _, number = kind.partition(" ")
        if word == "heading":
            kinds.append((heading(int(number)), block))
        elif word == "row":
            row = {"table": 0, "row": int(number), "first_column": 1, "last_column": 3, "header": number == "1"}
            kinds.append(({"TableRow": row}, block))
        else:
            kinds.append(({"text": "Paragraph", "item": "ListItem"}[word], block.strip()))
    page = verbatim(plain.markdown().decode(), kinds)
    return expectation("markdown", [page], content.TITLE, phrases=LICENCE_PHRASES)


def licence(format, **options):
    phrases = [*LICENCE_PHRASES, "plan Ø4"]
    return expectation(format, flow(content.LICENCE), content.TITLE, phrases=phrases, **options)


def html():
    """One page, without the footnote; browsers number the inner list `a.`."""
    everything = [[block for page in content.LICENCE for block in page]]
    pages = flow(everything, notes=False, second_label="{}.")
    return expectation("html", pages, content.TITLE, phrases=LICENCE_PHRASES)


def briefing(format):
    pages = []
    for title, blocks, spoken in content.BRIEFING:
        page = Page()
        page.block(heading(1), title)
        add_blocks(page, blocks)
        if spoken:
            page.block("Paragraph", f"Notes: {spoken}")
        pages.append(page)
    phrases = ["Silt is taken to Fårup.", "Łeba mole", "€214,000"]
    return expectation(format, pages, content.BRIEFING_TITLE, phrases=phrases)


def fees(format):
    """Cells as they are displayed, a merged column name in every cell that it names, a comment below its row."""
    money, day = sheets.DISPLAYED[format]
    shown = [[berth, holder, *map(money, fees), paid and day(paid)]
             for berth, holder, *fees, paid in [*content.FEES, content.FEES_TOTAL]]
    names, seasons = content.FEES_HEADER
    upper = [name or names[column - 1] for column, name in enumerate(names)]
    lower = [season or name for season, name in zip(seasons, names)]
    notes = {} if format == "xlsb" else {4: (3, f"Comment on C4 (Office): {content.COMMENT}")}
    found = []
    for name, rows, headers, comments in [
        ("Fees", [upper, lower, *shown], 2, notes),
        ("Rates", content.RATES, 1, {}),
        ("Old rates", content.OLD_RATES, 1, {}),
    ]:
        page = Page("Spreadsheet", name)
        page.rows([[cell and str(cell) for cell in row] for row in rows], headers, comments)
        found.append(page)
    phrases = ["Håkon Ødegård", day(content.FEES[1][4]), money(content.FEES_TOTAL[2]), "0.38"]
    return expectation(format, found, content.WORKBOOK_TITLE, warnings=[HIDDEN], phrases=phrases)


def deliveries():
    page = Page("Spreadsheet", "deliveries")
    page.rows(content.DELIVERIES)
    return expectation("csv", [page], phrases=["Łódź Marine", 'Fender "Grand", white'])


def rules(**options):
    """The lines of a page in reading order: the left column before the right one."""
    first = Page()
    first.block("Paragraph", printed.HEADER)
    first.block(heading(1), printed.TITLE)
    for column in (printed.LEFT, printed.RIGHT):
        add_lines(first, column)
    first.rows(printed.TABLE)
    first.block("Paragraph", printed.footer(1))
    second = Page()
    second.block("Paragraph", printed.HEADER)
    add_lines(second, printed.SECOND_PAGE)
    second.block("Paragraph", printed.footer(2))
    phrases = ["within an hour of mooring", "grey bin", "€465", "Renée Dupont"]
    return expectation("pdf", [first, second], printed.RULES_TITLE, phrases=phrases, **options)


def add_lines(page, lines):
    paragraph = []

    def end():
        if paragraph:
            text = "\n".join(paragraph)
            page.block("ListItem" if text.startswith(("• ", "1. ", "2. ")) else "Paragraph", text)
            paragraph.clear()

    for kind, text in lines:
        if kind == "line":
            paragraph.append(text)
            continue
        end()
        if kind == "heading":
            page.block(heading(2), text)
    end()


def notice(format, count):
    """Pictures: how lines form paragraphs is left to the reader, so no blocks are expected."""
    pages = []
    for lines in content.NOTICE[:count]:
        page = Page("Ocr")
        page.text = "\n".join(lines)
        pages.append(page)
    phrases = ["closed on 14 June 2024", "960142"][:count]
    return expectation(format, pages, phrases=phrases)


def message(format, date):
    """The headers, then the plain text, which wins over the HTML beside it."""
    header = [
        f"From: {mail.address(mail.SENDER)}",
        f"To: {mail.address(mail.RECIPIENT)}",
        f"Cc: {mail.address(mail.COPY)}",
        f"Date: {date}",
        f"Subject: {mail.SUBJECT}",
        f"Attachments: {mail.ATTACHMENT[0]}",
    ]
    blocks = ["\n".join(header), *mail.BODY]
    page = verbatim("\n\n".join(blocks), [("Paragraph", block) for block in blocks])
    phrases = ["fee of €4,800", "Please keep plug Ø4."]
    return expectation(format, [page], mail.SUBJECT, [mail.ATTACHMENT[0]], phrases=phrases)


def mailbox():
    first = ["1. Tue, 04 Jun 2024 09:30:00 +0200", mail.address(mail.SENDER), mail.SUBJECT]
    second = ["2. Wed, 05 Jun 2024 16:05:00 +0200", mail.address(mail.RECIPIENT), mail.SECOND_SUBJECT]
    page = Page()
    page.block("ListItem", " · ".join(first))
    page.block("ListItem", " · ".join(second))
    names = [f"00001 {mail.SUBJECT}.eml", f"00002 {mail.SECOND_SUBJECT}.eml"]
    return expectation("mbox", [page], attachments=names, phrases=["Wed, 05 Jun 2024"])


def papers():
    names = [mail.INNER_NOTE[0], mail.INNER_LIST[0]]
    page = Page()
    for name in names:
        page.block("ListItem", name)
    return expectation("zip", [page], attachments=names, phrases=["keys – Ærø.csv"])


def inspection():
    lines = [
        f"Event: {envelopes.WALK}",
        "Status: cancelled",
        "When: 2024-06-14 10:00 to 12:00 (Europe/Copenhagen)",
        f"Where: {envelopes.PLACE}",
        f"Organiser: {mail.address(envelopes.ORGANISER)}",
        f"Attendees: {mail.address(envelopes.GUEST)} (accepted)",
    ]
    page = Page()
    page.block("Paragraph", "\n".join(lines))
    page.block("Paragraph", envelopes.NOTE)
    return expectation("calendar", [page], envelopes.WALK, phrases=["cancelled", "open until noon"])


def web_archive():
    title, first, second = envelopes.PAGE_TEXTS
    head = f"Address: {envelopes.PAGE_ADDRESS}\nSaved: {envelopes.PAGE_SAVED}"
    kinds = [("Paragraph", head), (heading(1), title), ("Paragraph", first), ("Paragraph", second)]
    page = verbatim(f"{head}\n\n{title}\n{first}\n\n{second}", kinds)
    return expectation("mhtml", [page], envelopes.PAGE_TITLE, phrases=["€360.50", "slipway"])


def outlook_part():
    head = f"From: {envelopes.ORGANISER[0]}\nSubject: {envelopes.TNEF_SUBJECT}\nAttachments: {envelopes.TNEF_FILE[0]}"
    blocks = [head, *envelopes.TNEF_BODY]
    page = verbatim("\n\n".join(blocks), [("Paragraph", block) for block in blocks])
    names = [envelopes.TNEF_FILE[0]]
    return expectation("tnef", [page], envelopes.TNEF_SUBJECT, names, phrases=["with Zoë Łukasik"])


def signed():
    name, _ = envelopes.SIGNED
    page = Page()
    page.block("ListItem", name)
    warning = "The file is signed; the signature was not verified."
    return expectation("p7m", [page], attachments=[name], warnings=[warning], phrases=["statutes"])


def old_word(paragraphs):
    page = Page()
    for paragraph in paragraphs:
        page.block("Paragraph", paragraph)
    return expectation("doc", [page], phrases=[paragraphs[-1]], unpaged=True)


def enclosed():
    """The data of the chart are rows of the page, and no file."""
    page = Page()
    page.block("Paragraph", enclosures.TEXT)
    (_, series), row = enclosures.CHART
    page.rows([[None, series], row])
    names = ["Fees.xlsx", enclosures.KEYS[0]]
    return expectation("docx", [page], attachments=names, phrases=["the keys are enclosed"], unpaged=True)


def enclosed_in_rtf():
    page = Page()
    page.block("Paragraph", enclosures.TEXT)
    return expectation("rtf", [page], attachments=[enclosures.KEYS[0]], phrases=["the keys are enclosed"], unpaged=True)


def hidden(reason, page, chars):
    passage = f"{reason} on page {page} (1 passage, {chars} characters)"
    return f"Hidden text, which is read and marked as such: {passage}."


def draft(format):
    """The final text: what was deleted is not in it, and what was moved stands at its new place."""
    before, _, inserted, after = drafts.RENT
    texts = [before + inserted + after, f"{drafts.INSURED} {drafts.SECRET}", drafts.MOVED]
    page = Page()
    for text in texts + [drafts.SCHEDULE, drafts.ANNEX] * (format == "docx"):
        page.block("Paragraph", text)
    warnings = [hidden("formatted as hidden", 1, len(drafts.SECRET))]
    return expectation(format, [page], warnings=warnings, phrases=["two million euros", "Keys are returned"], unpaged=True)


def binder():
    """Bookmarks are headings, in print of the same size; rows of the ledger are those of a table."""
    pages = []
    for number, (title, text) in enumerate(drafts.PAGES):
        page = Page()
        page.block(heading(min(number, 1) + 1), title)
        page.block("Paragraph", text)
        if number == 1:
            page.block("Paragraph", drafts.COVERED)
        if number == 2:
            page.rows(drafts.LEDGER)
        page.block("Paragraph", drafts.BATES[number])
        pages.append(page)
    warnings = [hidden("covered", 2, len(drafts.COVERED))]
    return expectation("pdf", pages, warnings=warnings, phrases=["trims the lamp", "B13", "MOLE000043"])


def form():
    """Each field and comment is a block of its own, where it stands."""
    tenant, rent, repair = drafts.LINES
    texts = [
        tenant,
        "Tenant: Ann Bell",
        "Pets: ticked",
        rent,
        f"Highlight (Ann B.): “{rent}” – Agreed.",
        "Payment: monthly",
        "Note (Ann B., 2024-05-03): Ask Ben.",
        repair,
        f"Marked for redaction: “{repair}”",
        "Inserted (Ann B., 2024-05-03): and dry",
        drafts.WHITE,
        "Draft only",
        f"Landlord: signed by {drafts.AUTHOR} on 2024-05-03T09:00:00Z; it covers the whole file",
        "Attached file: The keys",
    ]
    page = Page()
    for text in texts:
        page.block("Paragraph", text)
    warnings = [hidden("in the colour of its background", 1, len(drafts.WHITE))]
    phrases = ["Ann Bell", "good repair"]
    return expectation("pdf", [page], "Form of the harbour", [drafts.PLAN[0], drafts.KEYS[0]], warnings=warnings, phrases=phrases)


def filed():
    """Turned text is text of its own; a text layer in a code of its own is read by OCR instead, a scan under stamps as well."""
    level, garbled, stamped = Page(), Page("Ocr"), Page("Hybrid")
    level.block("Paragraph", "\n".join(filing.LEVEL))
    level.block("Paragraph", filing.TURNED)
    garbled.text = "\n".join(filing.GARBLED)
    for text in [filing.HEADER, "\n".join(filing.ASKEW), filing.BATES]:
        stamped.block("Paragraph", text)
    warning = "The text layer of page 2 does not match the page image: OCR was used instead."
    phrases = [filing.TURNED, "pays for the oil", "landed on the mole"]
    return expectation("pdf", [level, garbled, stamped], warnings=[warning], phrases=phrases)


def pasted():
    page = Page()
    page.block("Paragraph", filing.LETTER)
    page.block("Paragraph", "Picture: " + "\n".join(filing.PASTED))
    return expectation("docx", [page], phrases=["sixty euros"], unpaged=True)


def stray_zeros():
    text = rare_encodings.stray_zeros().decode().replace("\0", " ")
    warning = "The text contains zeros; they were read as spaces."
    return expectation("text", [verbatim(text, [("Paragraph", text.strip())])], warnings=[warning], phrases=["berth B12"])


def all_outcomes():
    found = {
        "licence.txt": text(),
        "licence_utf16.txt": text(),
        "licence.md": markdown(),
        "licence.html": html(),
        "licence_locked.docx": licence("docx", password=PASSWORD),
        "deliveries.csv": deliveries(),
        "deliveries.tsv": deliveries(),
        "rules.pdf": rules(),
        "rules_locked.pdf": rules(password=PASSWORD),
        "notice_scan.pdf": notice("pdf", 2),
        "mail.eml": message("eml", "Tue, 04 Jun 2024 09:30:00 +0200"),
        # Outlook keeps the time in Coordinated Universal Time.
        "mail.msg": message("msg", "Tue, 04 Jun 2024 07:30:00 +0000"),
        "mailbox.mbox": mailbox(),
        "papers.zip": papers(),
        "inspection.ics": inspection(),
        "berths.mht": web_archive(),
        "winmail.dat": outlook_part(),
        "statutes.txt.p7m": signed(),
        "enclosures.docx": enclosed(),
        "enclosures.rtf": enclosed_in_rtf(),
        "mac.doc": old_word(content.NOTICE_OF_FEES),
        "word95_japanese.doc": old_word(rare_encodings.JAPANESE),
        "fees_backslashes.xlsx": fees("xlsx"),
        "stray_zeros.txt": stray_zeros(),
        "binder.pdf": binder(),
        "form.pdf": form(),
        "filing.pdf": filed(),
        "pasted.docx": pasted(),
    }
    found |= {f"draft.{kind}": draft(kind) for kind in ("docx", "doc", "odt", "rtf")}
    found |= {f"licence.{kind}": licence(kind) for kind in ("docx", "doc", "odt", "rtf")}
    found |= {f"briefing.{kind}": briefing(kind) for kind in ("pptx", "ppt", "odp")}
    found |= {f"fees.{kind}": fees(kind) for kind in ("xlsx", "xls", "xlsb", "ods")}
    counts = {"jpg": 1, "png": 1, "tiff": 2, "bmp": 1, "gif": 1, "webp": 1}
    found |= {f"notice.{kind}": notice("image", count) for kind, count in counts.items()}
    return found
