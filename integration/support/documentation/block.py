#!/usr/bin/env python3
"""block.py PAGE LANGUAGE TEXT: prints the one block of a page of the documentation that is fenced as this language and
has this text in it, or fails."""

import re
import sys


def blocks(page, language):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main():
    page, language, text = sys.argv[1:]
    found = [block for block in blocks(page, language) if text in block]
    if len(found) != 1:
        sys.exit(f"block.py: {page} has {len(found)} blocks of {language} with '{text}'")
    sys.stdout.write(found[0])


if __name__ == "__main__":
    main()
