"""The figures of the sample matter: cost plan, change orders, payments, programme and deliveries.

Sums that appear in prose elsewhere (the Contract Sum, the net change orders, certificate No. 6) are checked here, so that the
files cannot contradict each other.
"""

from datetime import date

CONTRACT_SUM = 4_860_000
CONTINGENCY = 450_000

# reference, element, allowance in the Contract Sum, percentage complete on 29 August 2025
COST_PLAN = [
    (1, "Preliminaries and site establishment", 612_000, 0.55),
    (2, "Demolition and strip-out", 284_500, 1.00),
    (3, "Structural repairs", 731_000, 0.80),
    (4, "East stair (repair allowance, omitted by CO-07)", 48_600, 0.00),
    (5, "Roof and rainwater goods", 566_400, 0.85),
    (6, "Quay elevation and windows", 742_500, 0.12),
    (7, "Mechanical services and brewery extract", 618_000, 0.22),
    (8, "Electrical services", 497_000, 0.25),
    (9, "Passenger lift", 164_000, 0.10),
    (10, "Internal finishes and common parts", 596_000, 0.12),
]

# number, description, net value, date approved (None while it is pending), reason
CHANGE_ORDERS = [
    ("CO-01", "Additional asbestos survey of plant room B", 6_850, date(2025, 4, 2), "Unforeseen"),
    ("CO-02", "Temporary roof over bays 3 to 5", 41_200, date(2025, 4, 22), "Weather protection"),
    ("CO-03", "Fire alarm panel with tenant interface", 12_480, date(2025, 5, 6), "Tenant request"),
    ("CO-04", "Omission of water feature in entrance hall", -28_500, date(2025, 5, 13), "Saving"),
    ("CO-05", "Removal of asbestos from plant room B", 33_760, date(2025, 5, 20), "Unforeseen"),
    ("CO-06", "Slate in place of felt at east parapet", 9_940, date(2025, 5, 27), "Conservation officer"),
    ("CO-07", "Replacement of the east stair, net of repair allowance", 186_400, date(2025, 6, 19), "Unforeseen"),
    ("CO-08", "Diversion of the incoming gas main", 22_150, date(2025, 7, 3), "Utility company"),
    ("CO-09", "Extended hoarding along Quayside Road", 7_320, date(2025, 7, 24), "Highway authority"),
    ("CO-10", "Secondary glazing to the west elevation", 54_600, None, "Noise from the ferry berth"),
    ("CO-11", "Acoustic lining to the brewery ceiling", 38_900, date(2025, 8, 12), "Tenant request"),
]

APPROVED_CHANGES = sum(value for _, _, value, approved, _ in CHANGE_ORDERS if approved)

# number, application date, applied for, withheld, certificate date, final date for payment, date paid, remarks
PAYMENTS = [
    (1, date(2025, 3, 31), 214_700.00, 0.00, date(2025, 4, 7), date(2025, 5, 7), date(2025, 5, 6), ""),
    (2, date(2025, 4, 30), 331_550.00, 0.00, date(2025, 5, 7), date(2025, 6, 6), date(2025, 6, 5), ""),
    (3, date(2025, 5, 30), 402_325.00, 0.00, date(2025, 6, 6), date(2025, 7, 6), date(2025, 7, 4), ""),
    (
        4,
        date(2025, 6, 30),
        447_925.00,
        18_600.00,
        date(2025, 7, 7),
        date(2025, 8, 6),
        date(2025, 8, 5),
        "£18,600 withheld because fire-stopping records for level 1 were incomplete; released with application 5",
    ),
    (
        5,
        date(2025, 7, 31),
        463_980.00,
        0.00,
        date(2025, 8, 7),
        date(2025, 8, 28),
        date(2025, 8, 28),
        "First certificate under the 21-day term of Amendment No. 1",
    ),
    (
        6,
        date(2025, 8, 29),
        412_750.00,
        14_534.60,
        date(2025, 9, 5),
        date(2025, 9, 26),
        date(2025, 10, 15),
        "Rejected stair flights not certified; certificate paid late, see correspondence",
    ),
    (7, date(2025, 9, 30), 371_450.00, 0.00, date(2025, 10, 7), date(2025, 10, 28), date(2025, 10, 27), ""),
]

# activity, planned start, planned finish, forecast finish, critical, responsible
ACTIVITIES = [
    ("Roof watertight, bays 1 to 9", date(2025, 5, 12), date(2025, 9, 26), date(2025, 9, 19), False, "Calder & Finch"),
    (
        "Window installation, quay elevation",
        date(2025, 8, 11),
        date(2025, 10, 31),
        date(2025, 11, 14),
        False,
        "Fensterbau Grünwald",
    ),
    ("Services first fix", date(2025, 6, 30), date(2025, 10, 31), date(2025, 11, 7), True, "Harrier Building Services"),
    (
        "East stair flights 2 and 3, remade",
        date(2025, 8, 12),
        date(2025, 9, 12),
        date(2025, 10, 24),
        True,
        "Ferronnerie Delacroix",
    ),
    (
        "East stair flights 4 and 5",
        date(2025, 9, 15),
        date(2025, 11, 14),
        date(2025, 11, 28),
        True,
        "Ferronnerie Delacroix",
    ),
    ("Dry lining to levels 3 and 4", date(2025, 10, 6), date(2025, 12, 5), date(2025, 12, 19), True, "Calder & Finch"),
    (
        "Ground floor ready for the Brewery Tenant",
        date(2025, 9, 1),
        date(2026, 1, 9),
        date(2026, 1, 9),
        False,
        "Calder & Finch",
    ),
    (
        "Passenger lift: car installation",
        date(2025, 11, 17),
        date(2025, 12, 12),
        date(2025, 12, 12),
        False,
        "Elevatio Lifts",
    ),
    (
        "Passenger lift: testing and commissioning",
        date(2026, 1, 5),
        date(2026, 1, 16),
        date(2026, 1, 23),
        False,
        "Elevatio Lifts",
    ),
    (
        "Smoke ventilation test",
        date(2026, 1, 19),
        date(2026, 1, 21),
        date(2026, 2, 4),
        True,
        "Harrier Building Services",
    ),
    ("Snagging and cleaning", date(2026, 1, 19), date(2026, 2, 5), date(2026, 2, 19), True, "Calder & Finch"),
    ("Practical Completion", date(2026, 2, 6), date(2026, 2, 6), date(2026, 2, 20), True, "Ottersley Architects"),
]

DELIVERY_COLUMNS = [
    "Date",
    "Supplier",
    "Place of origin",
    "Description",
    "Quantity",
    "Unit",
    "Unit price (EUR)",
    "Status",
    "Remarks",
]

# Decimal commas and a semicolon inside a field, as a continental spreadsheet program writes them.
DELIVERIES = [
    (
        "24/03/2025",
        "Échafaudages Brière S.A.",
        "Saint-Malo",
        "Tubular scaffold, quay elevation",
        "1",
        "lot",
        "38 400,00",
        "accepted",
        "",
    ),
    (
        "07/04/2025",
        "Ardoisières de Trélazé",
        "Angers",
        "Natural slate 32 × 22 cm",
        "21500",
        "pcs",
        "1,85",
        "accepted",
        "2 % breakage, within allowance",
    ),
    (
        "22/04/2025",
        "Bâches & Toiles Lefèvre",
        "Rouen",
        "Temporary roof sheeting",
        "940",
        "m²",
        "9,60",
        "accepted",
        "For CO-02",
    ),
    (
        "06/05/2025",
        "Ardoisières de Trélazé",
        "Angers",
        "Natural slate 32 × 22 cm",
        "14000",
        "pcs",
        "1,85",
        "accepted",
        "",
    ),
    (
        "27/05/2025",
        "Zinguerie Hoëdic",
        "Lorient",
        "Lead-clad ridge rolls",
        "186",
        "m",
        "42,30",
        "part accepted",
        "14 m dented; replaced on 03/06/2025",
    ),
    (
        "17/06/2025",
        "Tischlerei Österlund",
        "Lübeck",
        "Oak beam ends, north bay",
        "22",
        "pcs",
        "615,00",
        "accepted",
        "Moisture content 14 %",
    ),
    (
        "05/08/2025",
        "Ferronnerie Delacroix SARL",
        "Besançon",
        "Stair flight no. 1 (volée n° 1)",
        "1",
        "pcs",
        "24 870,00",
        "accepted",
        "Erected the same day",
    ),
    (
        "12/08/2025",
        "Ferronnerie Delacroix SARL",
        "Besançon",
        "Stair flights nos. 2 and 3 (volées n° 2 et 3)",
        "2",
        "pcs",
        "25 310,00",
        "rejected",
        "Soudures défectueuses – lack of fusion; bon de livraison 2025-0817",
    ),
    (
        "14/08/2025",
        "Fensterbau Grünwald GmbH",
        "Würzburg",
        "Timber sliding sashes, double glazed",
        "12",
        "pcs",
        "1 480,00",
        "accepted with remarks",
        "Trickle vents missing, to be fitted on site at supplier’s cost",
    ),
    (
        "27/08/2025",
        "Azulejos Peñarroya S.L.",
        "Córdoba",
        "Encaustic-pattern floor tiles, entrance hall",
        "58",
        "boxes",
        "96,50",
        "part accepted",
        "2 boxes broken; credit note requested",
    ),
    (
        "03/09/2025",
        "Fensterbau Grünwald GmbH",
        "Würzburg",
        "Timber sliding sashes, double glazed",
        "26",
        "pcs",
        "1 480,00",
        "accepted",
        "With trickle vents",
    ),
    (
        "11/09/2025",
        "Ventilación Ibáñez S.A.",
        "Zaragoza",
        "Extract fan for brewery, 4,5 kW",
        "2",
        "pcs",
        "7 920,00",
        "accepted",
        "Serial nos. VI-2231 and VI-2232",
    ),
    (
        "25/09/2025",
        "Elevatio Lifts B.V.",
        "’s-Hertogenbosch",
        "Guide rails and brackets",
        "1",
        "lot",
        "18 750,00",
        "accepted",
        "",
    ),
]

assert sum(row[2] for row in COST_PLAN) == CONTRACT_SUM
assert APPROVED_CHANGES == 330_500
assert round(PAYMENTS[5][2] - PAYMENTS[5][3], 2) == 398_215.40
assert (PAYMENTS[5][6] - PAYMENTS[5][5]).days == 19
assert round(398_215.40 * 0.065 * 19 / 365, 2) == 1_347.39 and round(398_215.40 * 0.08 * 19 / 365, 2) == 1_658.32
