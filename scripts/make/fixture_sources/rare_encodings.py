"""Files whose text or names are written in ways that few programs use today."""

import struct
import zipfile
from io import BytesIO

import sheets
from archive import zipped
from compound import compound_file
from content import NOTICE_OF_FEES

MAC_ROMAN, SHIFT_JIS = ("mac-roman", 0x0409, 0x0100, 0), ("cp932", 0x0411, 0, 0x1000)
JAPANESE = ["係船契約書", "契約期間は12か月とする。", "使用料は€4,800です。".replace("€", "￥")]


def old_word(paragraphs, encoding, language, character_set, flags):
    """A document of Word 6 or 95 that is not in pieces: header, then the text. In Far East editions a character has 16 bits."""
    text = "".join(f"{paragraph}\r" for paragraph in paragraphs)
    codes = [character.encode(encoding) for character in text]
    body = b"".join(code[::-1].ljust(2, b"\0") for code in codes) if flags else b"".join(codes)
    header = bytearray(768)
    struct.pack_into("<HHHHHH", header, 0, 0xA5DC, 104, 0, language, 0, flags)
    struct.pack_into("<H", header, 20, character_set)
    struct.pack_into("<II", header, 24, len(header), len(header) + len(body))
    struct.pack_into("<I", header, 0x34, len(codes))
    # Long streams have sectors of their own.
    return compound_file({"WordDocument": (bytes(header) + body).ljust(4096, b"\0")})


def mac_word():
    return old_word(NOTICE_OF_FEES, *MAC_ROMAN)


def japanese_word():
    return old_word(JAPANESE, *SHIFT_JIS)


def backslashes():
    """The workbook of fees, its parts named with backslashes."""
    with zipfile.ZipFile(BytesIO(sheets.xlsx())) as archive:
        return zipped([(name.replace("/", "\\"), archive.read(name)) for name in archive.namelist()])


def stray_zeros():
    """A short text with the zero that ended a string in memory, inside and at the end."""
    return "\0".join([NOTICE_OF_FEES[0], NOTICE_OF_FEES[1], ""]).encode()
