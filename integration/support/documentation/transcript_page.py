"""What a page of Markdown says about one person's session: commands, what they print, and what has to be there first.

A block fenced as ```console is a transcript. Its commands begin with "$ ", a line that ends with a backslash goes on,
and what follows a command is its output. Comments say what a reader need not see, each on a line of its own:

  <!-- $ COMMAND -->       runs at this place, unseen, and has to succeed
  <!-- types: TEXT -->     what the person types in the next block where the terminal doesn't echo; rosebud without it
  <!-- world: keyring -->  above all of them: an unlocked keyring runs

A command anywhere else is a fault of the page, because nobody would run it.
"""

import re
from dataclasses import dataclass, field


class PageFault(Exception):
    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


@dataclass
class Command:
    """One command, the line of the page that it is on, and its output, or None where nobody sees that."""

    line: int
    text: str
    output: list | None
    output_line: int = 0
    answers: list = field(default_factory=list)


@dataclass
class Page:
    commands: list = field(default_factory=list)
    world: str = ""


FENCE = re.compile(r"( *)(`{3,}|~{3,})(.*)")
COMMENT = re.compile(r"\s*<!-- (?:\$ (?P<command>.+)|types: (?P<types>.+)|world: (?P<world>.+)) -->\s*")


def blocks(lines):
    """(line number, language, lines) of each block with a fence; outside of them (line number, None, [line])."""
    number = 0
    while number < len(lines):
        fence = FENCE.fullmatch(lines[number])
        if not fence:
            yield number + 1, None, [lines[number]]
            number += 1
            continue
        indent, mark, language = len(fence[1]), fence[2], fence[3].strip()
        begin, inside = number + 1, []
        number += 1
        while number < len(lines) and not re.fullmatch(rf"\s*{mark[0]}{{{len(mark)},}}\s*", lines[number]):
            line = lines[number]
            inside.append(line[indent:] if not line[:indent].strip() else line)
            number += 1
        if number == len(lines):
            raise PageFault(begin, "this block has no end")
        yield begin, language, inside
        number += 1


def transcript(begin, lines, answers):
    """The commands of a block whose fence is on the line `begin`. All of them share the answers, which are used up."""
    commands, number = [], 0
    while number < len(lines):
        if not lines[number].startswith("$ "):
            raise PageFault(begin + 1, "a transcript begins with a command, '$ …'")
        line, text = begin + 1 + number, lines[number][2:]
        while text.endswith("\\") and number + 1 < len(lines):
            number += 1
            text += "\n" + lines[number]
        number += 1
        output_line, output = begin + 1 + number, []
        while number < len(lines) and not lines[number].startswith("$ "):
            output.append(lines[number].rstrip())
            number += 1
        commands.append(Command(line, text, output, output_line, answers))
    if not commands:
        raise PageFault(begin, "a transcript without a command")
    return commands


def read_page(text):
    page, answers = Page(), []
    for line, language, lines in blocks(text.split("\n")):
        if language == "console":
            page.commands += transcript(line, lines, answers)
            answers = []
        elif language is not None:
            for offset, inside in enumerate(lines):
                if inside.startswith("$ "):
                    raise PageFault(line + 1 + offset, f"a command in a block fenced as '{language}' isn't run")
        elif comment := COMMENT.fullmatch(lines[0]):
            if comment["command"]:
                page.commands.append(Command(line, comment["command"], None))
            elif comment["types"]:
                answers.append(comment["types"])
            elif comment["world"] != "keyring":
                raise PageFault(line, f"there is no world '{comment['world']}'")
            elif page.commands:
                raise PageFault(line, "the world has to stand above the first command")
            else:
                page.world = comment["world"]
        elif re.match(r"\s{4,}\$ |\$ ", lines[0]):
            raise PageFault(line, "a command in a block that isn't fenced as 'console' isn't run")
    if answers:
        raise PageFault(len(text.split("\n")), "no block comes after what is typed there")
    return page
