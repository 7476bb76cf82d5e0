#!/usr/bin/env python3
"""Runs a command in a terminal of its own, answers its questions with yes, and prints what it shows. Ends with its status.

usage: terminal.py COMMAND [ARGUMENT]...
"""

import os
import pty
import sys


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody has the other end open
            break
        if not part:
            break
        shown += part
        if shown.endswith(b"[y/N] "):
            os.write(terminal, b"y\n")
    sys.stdout.write(shown.decode("utf-8", "replace").replace("\r\n", "\n"))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)


if __name__ == "__main__":
    main()
