"""A message as EML and MSG, a mailbox of two messages, and an archive of two documents."""

import struct
from datetime import datetime, timezone
from email.message import EmailMessage
from email.policy import SMTP

from archive import zipped
from compound import compound_file

SUBJECT = "Fee for berth B12 – Søndervig"
SENDER = ("Zoë Łukasik", "zoe@example.org")
RECIPIENT = ("Håkon Ødegård", "hakon@example.com")
COPY = ("", "office@example.com")
BODY = [
    "Dear Håkon,",
    "the fee of €4,800 was paid on 3 June 2024.\nThe receipt is attached.",
    "1. Please return the key.\n2. Please keep plug Ø4.",
    "Zoë",
]
ATTACHMENT = ("receipt – B12.txt", "Receipt 2024/117\nReceived: €4,800\n")
SENT = "Tue, 4 Jun 2024 09:30:00 +0200"
SENT_UTC = datetime(2024, 6, 4, 7, 30, tzinfo=timezone.utc)

SECOND_SUBJECT = "Re: Fee for berth B12"
SECOND_BODY = ["Dear Zoë,", "thank you.\nFrom July on the fee is €5,000.", "Håkon"]
SECOND_SENT = "Wed, 5 Jun 2024 16:05:00 +0200"

INNER_NOTE = ("papers/notice.txt", "The slipway is closed on 14 June 2024.\n")
INNER_LIST = ("papers/lists/keys – Ærø.csv", "Key,Holder\n1,Zoë Łukasik\n2,Håkon Ødegård\n")


def html_body():
    """The same in markup: a list and a table, as mail programs send them beside the plain text."""
    first, second, third, last = BODY
    items = "".join(f"<li>{line.split('. ', 1)[1]}</li>" for line in third.splitlines())
    return (
        '<html><head><meta charset="utf-8"></head><body>'
        f"<p>{first}</p><p>{second}</p><ol>{items}</ol><p>{last}</p></body></html>"
    ).replace("\n", "<br>")


def address(person):
    name, mailbox = person
    return f"{name} <{mailbox}>" if name else mailbox


def message(subject, sender, recipient, sent, paragraphs, number):
    found = EmailMessage(policy=SMTP)
    found["From"] = address(sender)
    found["To"] = address(recipient)
    found["Date"] = sent
    found["Subject"] = subject
    found["Message-ID"] = f"<{number}@example.org>"
    found.set_content("\n\n".join(paragraphs) + "\n", charset="utf-8", cte="quoted-printable")
    return found


def eml():
    found = message(SUBJECT, SENDER, RECIPIENT, SENT, BODY, 1)
    found["Cc"] = address(COPY)
    found.add_alternative(html_body(), subtype="html", charset="utf-8", cte="quoted-printable")
    name, text = ATTACHMENT
    found.add_attachment(text, filename=name, charset="utf-8", cte="base64")
    # Boundaries are random otherwise.
    found.set_boundary("outer-117")
    next(iter(found.iter_parts())).set_boundary("inner-117")
    return found.as_bytes()


def mbox():
    first = message(SUBJECT, SENDER, RECIPIENT, SENT, BODY, 1)
    second = message(SECOND_SUBJECT, RECIPIENT, SENDER, SECOND_SENT, SECOND_BODY, 2)
    lines = ["From zoe@example.org Tue Jun  4 09:30:00 2024", "From hakon@example.com Wed Jun  5 16:05:00 2024"]
    out = b""
    for line, one in zip(lines, (first, second)):
        body = one.as_bytes().replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ")
        out += line.encode() + b"\n" + body + b"\n"
    return out


def papers():
    return zipped([("papers/", b""), *((name, text.encode()) for name, text in (INNER_NOTE, INNER_LIST))])


def msg():
    """An Outlook item ([MS-OXMSG]): small properties in a table for each object, long ones in streams of their own."""
    streams = {}

    def write(folder, header, properties):
        table = b""
        for (number, kind), value in properties.items():
            tag = number << 16 | kind
            if kind == 0x001F:
                value = value.encode("utf-16-le")
            if kind in (0x001F, 0x0102):
                streams[f"{folder}__substg1.0_{tag:08X}"] = value
                # The length of a string includes its end.
                value = struct.pack("<II", len(value) + (2 if kind == 0x001F else 0), 0)
            elif kind == 0x0003:
                value = struct.pack("<II", value, 0)
            else:
                value = struct.pack("<Q", value)
            table += struct.pack("<II", tag, 6) + value
        streams[f"{folder}__properties_version1.0"] = header + table

    text, binary, integer, time = 0x001F, 0x0102, 0x0003, 0x0040
    ticks = int((SENT_UTC - datetime(1601, 1, 1, tzinfo=timezone.utc)).total_seconds()) * 10_000_000
    write(
        "",
        struct.pack("<8xIIII8x", 2, 1, 2, 1),
        {
            (0x001A, text): "IPM.Note",
            (0x0037, text): SUBJECT,
            (0x0039, time): ticks,
            (0x0C1A, text): SENDER[0],
            (0x0C1E, text): "SMTP",
            (0x0C1F, text): SENDER[1],
            (0x1000, text): "\n\n".join(BODY).replace("\n", "\r\n") + "\r\n",
            (0x1013, binary): html_body().encode(),
            (0x340D, integer): 0x00040000,
            (0x3FDE, integer): 65001,
        },
    )
    for number, (kind, (name, mailbox)) in enumerate([(1, RECIPIENT), (2, COPY)]):
        write(
            f"__recip_version1.0_#{number:08X}/",
            bytes(8),
            {
                (0x0C15, integer): kind,
                (0x3000, integer): number,
                (0x3001, text): name or mailbox,
                (0x3002, text): "SMTP",
                (0x3003, text): mailbox,
                (0x39FE, text): mailbox,
            },
        )
    name, content = ATTACHMENT
    write(
        "__attach_version1.0_#00000000/",
        bytes(8),
        {
            (0x0E21, integer): 0,
            (0x3701, binary): content.encode(),
            (0x3704, text): "RECEIPT.TXT",
            (0x3705, integer): 1,
            (0x3707, text): name,
            (0x370E, text): "text/plain",
        },
    )
    # Names of named properties; there are none.
    for stream in ("00020102", "00030102", "00040102"):
        streams[f"__nameid_version1.0/__substg1.0_{stream}"] = b""
    return compound_file(streams, bytes.fromhex("0b0d020000000000c000000000000046"))
