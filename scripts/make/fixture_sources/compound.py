"""A writer of OLE compound files ([MS-CFB]) without dates, for Outlook items and to repack what other programs write."""

import io
import re
import struct

SECTOR, MINI_SECTOR, MINI_CUTOFF = 512, 64, 4096
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
STORAGE, STREAM, ROOT = 1, 2, 5


class Entry:
    """A stream, or a storage with children by name."""

    def __init__(self, name, content=None):
        self.name, self.content, self.children = name, content, {}
        self.left = self.right = self.child = FREE
        self.start, self.size = (END if content is not None else 0), len(content or b"")


def compound_file(streams, class_id=bytes(16)):
    """The bytes of a file that holds `streams`: content by path, with `/` between storages."""
    root = Entry("Root Entry")
    for path, content in streams.items():
        *folders, name = path.split("/")
        parent = root
        for folder in folders:
            parent = parent.children.setdefault(folder, Entry(folder))
        parent.children[name] = Entry(name, content)
    entries = []
    collect(root, entries)
    for entry in entries:
        entry.child = tree(sorted(entry.children.values(), key=order), entries)

    mini = Chains(MINI_SECTOR)
    sectors = Chains(SECTOR)
    for entry in entries:
        if entry.content:
            entry.start = (mini if entry.size < MINI_CUTOFF else sectors).add(entry.content)
    root.size = len(mini.data)
    root.start = sectors.add(bytes(mini.data))
    mini_table = sectors.add(numbers(mini.next, SECTOR))
    mini_table_sectors = -(-4 * len(mini.next) // SECTOR)
    directory = sectors.add(b"".join(described(entry, root, class_id) for entry in entries))
    # The allocation table describes its own sectors too.
    tables = 1
    while tables * (SECTOR // 4) < len(sectors.next) + tables:
        tables += 1
    if tables > 109:
        raise ValueError("more data than the header's list of tables allows")
    first_table = len(sectors.next)
    sectors.next += [TABLE] * tables
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        bytes(16),
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        bytes(6),
        0,
        tables,
        directory,
        0,
        MINI_CUTOFF,
        mini_table,
        mini_table_sectors,
        END,
        0,
    )
    header += numbers(range(first_table, first_table + tables), 4 * 109)
    return header + bytes(sectors.data) + numbers(sectors.next, SECTOR)


class Chains:
    """Sectors of one size, and which follows which."""

    def __init__(self, size):
        self.size, self.data, self.next = size, bytearray(), []

    def add(self, content):
        """Appends a chain and returns its first sector."""
        if not content:
            return END
        start, count = len(self.next), -(-len(content) // self.size)
        self.data += content.ljust(count * self.size, b"\0")
        self.next += [*range(start + 1, start + count), END]
        return start


def numbers(values, multiple):
    data = b"".join(struct.pack("<I", value) for value in values)
    return data + b"\xff" * (-len(data) % multiple)


def order(entry):
    """Names are sorted by length first."""
    return len(entry.name), entry.name.upper()


def collect(entry, entries):
    entry.id = len(entries)
    entries.append(entry)
    for child in sorted(entry.children.values(), key=order):
        collect(child, entries)


def tree(children, entries):
    """Makes a search tree of sorted children; returns the id of its top."""
    if not children:
        return FREE
    middle = len(children) // 2
    top = children[middle]
    top.left, top.right = tree(children[:middle], entries), tree(children[middle + 1 :], entries)
    return top.id


def described(entry, root, class_id):
    name = entry.name.encode("utf-16-le") + b"\0\0"
    kind = ROOT if entry is root else STORAGE if entry.content is None else STREAM
    black = 1
    return struct.pack(
        "<64sHBBIII16sI8s8sIQ",
        name,
        len(name),
        kind,
        black,
        entry.left,
        entry.right,
        entry.child,
        class_id if entry is root else bytes(16),
        0,
        bytes(8),
        bytes(8),
        entry.start,
        entry.size,
    )


def summary_information(title):
    """The stream that holds a title ([MS-OLEPS]), in code page 65001."""
    text = title.encode() + b"\0"
    text += b"\0" * (-len(text) % 4)
    code_page = struct.pack("<IhH", 2, -535, 0)
    value = struct.pack("<II", 30, len(text)) + text
    properties = struct.pack("<IIIIII", 24 + len(code_page) + len(value), 2, 1, 24, 2, 24 + len(code_page))
    section = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
    return (
        struct.pack("<HHI16sI16sI", 0xFFFE, 0, 0x00020006, bytes(16), 1, section, 48) + properties + code_page + value
    )


def repacked(data, title=None):
    """A compound file without dates and what else differs from run to run.

    With a title, what LibreOffice says about the document, such as a preview, gives way to that title.
    """
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as source:
        streams = {"/".join(path): source.openstream(path).read() for path in source.listdir()}
        class_id = data[(source.first_dir_sector + 1) * SECTOR + 80 :][:16]
    if title:
        streams["\x05SummaryInformation"] = summary_information(title)
        streams.pop("\x05DocumentSummaryInformation", None)
    if "Workbook" in streams:
        # The comment's identifier ([MS-XLS] 2.5.149, FtNts) is random.
        streams["Workbook"] = re.sub(
            rb"(\x0d\x00\x16\x00).{16}", rb"\1" + bytes(16), streams["Workbook"], flags=re.DOTALL
        )
    return compound_file(streams, class_id)
