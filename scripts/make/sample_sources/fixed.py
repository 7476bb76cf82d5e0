"""What keeps the sample files the same from one run to the next."""

import zipfile
from datetime import datetime

# The date that every file gives as that of its making.
MADE = datetime(2025, 11, 3, 9, 0, 0)


def repack(path):
    """Rewrites a zipped document with fixed times, so that the same content gives the same bytes."""
    with zipfile.ZipFile(path) as archive:
        parts = [(entry.filename, entry.compress_type, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for name, compress_type, data in parts:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = compress_type
            archive.writestr(entry, data)
