"""Changes the relative links of Markdown files for places where not all of the repository is. Needs only the standard library."""

import os.path
import re

# Code first, so that what looks like a link in it stays.
TOKEN = re.compile(
    r"(?P<code>^(```|~~~).*?^\2[^\n]*|`[^`\n]+`)|(?P<image>!?)\[(?P<text>(?:[^\[\]`]|`[^`\n]*`|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


def rewrite(text, file, place):
    """The text of the Markdown file at `file`, a path from the root, for a place where `place(path)` says what becomes of a link to
    `path`, from the root: a text for its target, a note that stands after its words as `(note)`, in a list of one, or nothing, of which
    only the words stay. Pictures have no words."""

    def changed(found):
        target = found["target"]
        if found["code"] or re.match(r"[a-z]+:|#", target):
            return found[0]
        path, mark, heading = target.partition("#")
        new = place(os.path.normpath(os.path.join(os.path.dirname(file), path)))
        if isinstance(new, str):
            return f"{found['image']}[{found['text']}]({new}{mark}{heading})"
        if found["image"]:
            return ""
        words = found["text"]
        if not new or new[0].strip("`") in words:
            return words
        # In parentheses already.
        return f"{words}, {new[0]}" if text[found.start() - 1 : found.start()] == "(" else f"{words} ({new[0]})"

    return TOKEN.sub(changed, text)
