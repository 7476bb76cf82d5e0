"""What the fixtures say: one fictional licence, one briefing and one table of fees, told in every format.

Blocks are tuples: ("heading", level, text), ("text", text), ("number", level, text), ("bullet", text), ("table", rows). The
first row of a table names its columns. In a text, NOTE_MARK stands where a footnote is referred to.
"""

from datetime import date

NOTE_MARK = "^"
NOTE = "The berth is shown on plan Ø4."
TITLE = "Berth Licence"

FEE_TABLE = [
    ["Item", "Berth", "Fee"],
    ["Mooring, summer season", "B12", "€4,800"],
    ["Shore power", "B12", "€360.50"],
]

# Each list is a page.
LICENCE = [
    [
        ("heading", 1, "Berth Licence"),
        ("text", "Søndervig Marina lets berth B12^ to Zoë Łukasik; signed in Århus on 3 May 2024."),
        ("heading", 2, "Term"),
        ("number", 0, "The licence runs for twelve months."),
        ("number", 0, "Either party may end it:"),
        ("number", 1, "on thirty days’ notice; or"),
        ("number", 1, "at once if the fee is not paid."),
        ("heading", 2, "Equipment"),
        ("bullet", "Two mooring lines"),
        ("bullet", "One shore-power plug, 16 A"),
        ("table", FEE_TABLE),
    ],
    [
        ("heading", 2, "Payment"),
        ("text", "The fee is due on 1 June 2024. Interest of 5 % a year runs from that day."),
    ],
]

# A slide: title, blocks, speaker's notes.
BRIEFING_TITLE = "Dredging of the inner harbour"
BRIEFING = [
    (
        "Dredging of the inner harbour",
        [
            ("bullet", "Work begins on 4 March at the Sæby quay."),
            ("bullet", "Silt is taken to Fårup."),
            ("number", 0, "Close the fairway."),
            ("number", 0, "Move the buoys."),
        ],
        "Mention the seal pups near the Łeba mole.",
    ),
    (
        "Costs",
        [
            ("table", [["Stage", "Weeks", "Cost"], ["Survey", "2", "€18,500"], ["Dredging", "9", "€214,000"]]),
            ("text", "Prices as of January."),
        ],
        None,
    ),
]

WORKBOOK_TITLE = "Berth fees 2024"
COMMENT = "Discount agreed by telephone."

# Sheet "Fees": the first two rows are a header in which cells are merged; `None` is a cell that is covered or empty.
FEES_HEADER = [["Berth", "Holder", "Fee", None, "Paid on"], [None, None, "Summer", "Winter", None]]
FEES = [
    ["B12", "Zoë Łukasik", 4800, 1250.5, date(2024, 6, 1)],
    ["C03", "Håkon Ødegård", 3600, 850, date(2024, 6, 14)],
    ["C07", "Renée Dupont", 3950.75, 900, date(2023, 12, 31)],
]
FEES_TOTAL = ["Total", None, 12350.75, 3000.5, None]
RATES = [["Service", "Unit", "Price"], ["Shore power", "kWh", 0.42], ["Crane lift", "each", 95]]
# On a hidden sheet.
OLD_RATES = [["Service", "Unit", "Price"], ["Shore power", "kWh", 0.38], ["Crane lift", "each", 90]]

DELIVERIES = [
    ["Date", "Supplier", "Goods", "Quantity", "Price"],
    ["2024-04-02", "Ångström & Søn", "Mooring rope, 16 mm", "40", "3.90"],
    ["2024-04-09", "Chandlerie Évrard", 'Fender "Grand", white', "12", "28.50"],
    ["2024-04-23", "Łódź Marine", "Cleats", "24", "11.25"],
]

# Short paragraphs with letters beyond ASCII.
NOTICE_OF_FEES = ["Søndervig Marina: “Fees”", "The fee for berth B12 is £4,800 – due in 30 days…"]

# What the pictures show, a page a list; the second page only where the format has pages.
NOTICE = [
    ["NOTICE TO BERTH HOLDERS", "The slipway is closed on 14 June 2024.", "The café and the showers stay open."],
    ["CRANE BOOKINGS", "Call 01632 960142 before noon.", "Bring licence B12 and 95 euros."],
]
