#!/usr/bin/env python3
"""swift-examples.py FOLDER FILE...: takes the Swift examples out of pages and comments, for a compiler to check.

An example is a block of Markdown that begins with ```swift, in a page or behind /// in a Swift file. One that begins
with "// swift-tools-version" is a manifest and goes to FOLDER/manifest-N.swift; another one is a program, and goes to
FOLDER/program-N.swift. A block that imports nothing goes on from the block before it in the same file.
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


folder, count = sys.argv[1], 0
for path in sys.argv[2:]:
    program = None
    for line, text in blocks(path):
        is_manifest = text[:1] and text[0].startswith("// swift-tools-version")
        goes_on = program and not is_manifest and not any(re.match(r"\s*(@\w+ )?import ", part) for part in text)
        if not goes_on:
            count += 1
        name = os.path.join(folder, f"{'manifest' if is_manifest else 'program'}-{count:02}.swift")
        with open(name, "a" if goes_on else "w", encoding="utf-8") as file:
            if is_manifest:
                file.write(text.pop(0) + "\n")
                line += 1
            # Errors name the page, and the line in it.
            file.write(f'#sourceLocation(file: "{path}", line: {line})\n' + "\n".join(text) + "\n")
        program = None if is_manifest else name
