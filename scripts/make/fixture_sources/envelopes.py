"""A calendar, a page saved as a web archive, and two envelopes: Outlook's TNEF and a signed file."""

import base64
import quopri
import struct

WALK = "Inspection of the mole"
PLACE = "Harbour office, room 3"
ORGANISER = ("Zoë Łukasik", "zoe@example.org")
GUEST = ("Håkon Ødegård", "hakon@example.com")
NOTE = "Please bring the plans of berth B12; the gate is open until noon."

PAGE_ADDRESS = "https://port.example/berths"
PAGE_SAVED = "Tue, 4 Jun 2024 09:30:00 +0200"
PAGE_TITLE = "Berths – Søndervig"
PAGE_TEXTS = ["Berths", "A berth costs €360.50 a month.", "The slipway is free."]

TNEF_SUBJECT = "Keys of the lighthouse"
TNEF_BODY = ["Dear Håkon,", "the keys are with Zoë Łukasik.\nThe list is attached."]
TNEF_FILE = ("keys – Ærø.txt", "1 lighthouse\n2 slipway\n")

SIGNED = ("statutes.txt", "The harbour board meets on 14 June 2024.\n")


def folded(line):
    """A line of at most 75 bytes and those that continue it (RFC 5545, 3.1); the cut may be within a character."""
    data, out = line.encode(), b""
    while len(data) > 75:
        out, data = out + data[:75] + b"\r\n", b" " + data[75:]
    return out + data + b"\r\n"


def calendar():
    zone = ["BEGIN:VTIMEZONE", "TZID:Europe/Copenhagen", "BEGIN:STANDARD", "DTSTART:19701025T030000",
            "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "END:STANDARD", "END:VTIMEZONE"]
    event = ["BEGIN:VEVENT", "UID:117@example.org", "DTSTAMP:20240604T073000Z",
             "DTSTART;TZID=Europe/Copenhagen:20240614T100000", "DTEND;TZID=Europe/Copenhagen:20240614T120000",
             f"SUMMARY:{WALK}", "LOCATION:" + PLACE.replace(",", "\\,"), "STATUS:CANCELLED",
             f'ORGANIZER;CN="{ORGANISER[0]}":mailto:{ORGANISER[1]}',
             f'ATTENDEE;CN="{GUEST[0]}";PARTSTAT=ACCEPTED:mailto:{GUEST[1]}',
             "DESCRIPTION:" + NOTE.replace(";", "\\;"), "END:VEVENT"]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//CaseTrack//Fixtures//EN", *zone, *event, "END:VCALENDAR"]
    return b"".join(folded(line) for line in lines)


def web_archive():
    heading, first, second = PAGE_TEXTS
    page = f"<html><head><title>x</title></head><body><h1>{heading}</h1><p>{first}</p></body></html>"
    parts = [(PAGE_ADDRESS, page), (PAGE_ADDRESS + "/frame", f"<p>{second}</p>")]
    subject = base64.b64encode(PAGE_TITLE.encode()).decode()
    out = (
        f"From: <Saved by Blink>\r\nSnapshot-Content-Location: {PAGE_ADDRESS}\r\nSubject: =?utf-8?B?{subject}?=\r\n"
        f"Date: {PAGE_SAVED}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n"
        "\tboundary=\"page-117\"\r\n\r\n\r\n"
    )
    for address, html in parts:
        text = quopri.encodestring(html.encode()).decode().replace("\n", "\r\n")
        out += (
            "--page-117\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n"
            f"Content-Location: {address}\r\n\r\n{text}\r\n"
        )
    return (out + "--page-117--\r\n").encode()


def tnef():
    """Attributes one after the other ([MS-OXTNEF]); most texts are MAPI properties in one of them."""

    def attribute(level, number, data):
        return struct.pack("<BII", level, number, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)

    def texts(values):
        out = struct.pack("<I", len(values))
        for number, value in values:
            data = (value + "\0").encode("utf-16-le")
            out += struct.pack("<HHII", 0x001F, number, 1, len(data)) + data + bytes(-len(data) % 4)
        return out

    name, content = TNEF_FILE
    body = "\r\n\r\n".join(TNEF_BODY).replace("\n", "\r\n").replace("\r\r", "\r")
    return b"\x78\x9f\x3e\x22\x01\x00" + b"".join([
        attribute(1, 0x00089006, struct.pack("<I", 0x10000)),
        attribute(1, 0x00069007, struct.pack("<II", 1252, 0)),
        attribute(1, 0x00078008, b"IPM.Microsoft Mail.Note\0"),
        attribute(1, 0x00069003, texts([(0x0037, TNEF_SUBJECT), (0x0C1A, ORGANISER[0]), (0x1000, body)])),
        attribute(2, 0x00069002, bytes(14)),
        attribute(2, 0x00018010, b"KEYS.TXT\0"),
        attribute(2, 0x0006800F, content.encode()),
        attribute(2, 0x00069005, texts([(0x3707, name)])),
    ])


def signed():
    """Signed data of the Cryptographic Message Syntax (RFC 5652), without certificates and signers, written as programs do that
    do not know the length beforehand."""

    def element(tag, *parts):
        content = b"".join(parts)
        return bytes([tag, len(content)]) + content

    def open_element(tag, *parts):
        return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"

    def kind(last):
        return element(0x06, bytes.fromhex("2a864886f70d0107") + bytes([last]))

    content = SIGNED[1].encode()
    pieces = [element(0x04, content[at : at + 16]) for at in range(0, len(content), 16)]
    inside = open_element(0x30, kind(1), open_element(0xA0, open_element(0x24, *pieces)))
    data = open_element(0x30, element(0x02, b"\x01"), element(0x31), inside, element(0x31))
    return open_element(0x30, kind(2), open_element(0xA0, data))
