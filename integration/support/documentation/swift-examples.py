#!/usr/bin/env python3
"""swift-examples.py FOLDER FILE...: takes the Swift examples out of pages and comments, for a compiler to check.

An example is a block of Markdown that begins with ```swift, in a page or behind /// in a Swift file. One that begins
with "// swift-tools-version" is a manifest and goes to FOLDER/manifest-N.swift; another one of a page is a program, and
goes to FOLDER/program-N.swift. A block that imports nothing goes on from the block before it in the same page. One of a
comment goes to FOLDER/comment-N.swift, as the body of a function behind what example-names.swift declares.
"""

import os
import re
import sys


def blocks(path):
    """The line at which each block begins, from 1, and its lines."""
    begin, lines = None, []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if path.endswith(".swift"):
                comment = re.match(r"\s*/// ?(.*)", line)
                if not comment:
                    begin = None
                    continue
                line = comment[1]
            if begin is None:
                if line.strip() == "```swift":
                    begin, lines = number + 1, []
            elif line.strip() == "```":
                yield begin, lines
                begin = None
            else:
                lines.append(line)


with open(os.path.join(os.path.dirname(__file__), "example-names.swift"), encoding="utf-8") as file:
    names = file.read()

folder, count = sys.argv[1], 0
for path in sys.argv[2:]:
    program = None
    for line, text in blocks(path):
        begin, end = "", ""
        imports = any(re.match(r"\s*(@\w+ )?import ", part) for part in text)
        if text[:1] and text[0].startswith("// swift-tools-version"):
            kind = "manifest"
            begin = text.pop(0) + "\n"
            line += 1
        elif path.endswith(".swift") and not imports:
            kind = "comment"
            begin, end = names + "\nfunc example() async throws {\n", "}\n"
        else:
            kind = "program"
        goes_on = program and kind == "program" and not imports
        if not goes_on:
            count += 1
        name = program if goes_on else os.path.join(folder, f"{kind}-{count:03}.swift")
        with open(name, "a" if goes_on else "w", encoding="utf-8") as file:
            # So that errors name the page and its line.
            file.write(f'{begin}#sourceLocation(file: "{path}", line: {line})\n' + "\n".join(text) + f"\n{end}")
        program = name if kind == "program" else None
