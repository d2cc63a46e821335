"""The lines that a terminal shows for what programs write, and whether they are those of a page."""

import re

ANYTHING = "…"


def shown_line(text):
    """What stands in one line at last: what was overwritten is gone, and colours are left out."""
    cells, column = [], 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", text, re.DOTALL):
        if part == "\r":
            column = 0
        elif part == "\b":
            column = max(0, column - 1)
        elif part in ("\x1b[K", "\x1b[0K"):
            del cells[column:]
        elif part == "\x1b[2K":
            cells = [" "] * column
        elif part == "\a" or re.fullmatch(r"\x1b\[([0-9;]*m|\?[0-9;]*[hl])", part):
            pass
        else:
            cells[column:column + 1] = [part if part.isprintable() or part == "\t" else repr(part)[1:-1]]
            column += 1
    return "".join(cells)


def shown_lines(text):
    """The whole lines, without blanks at their ends, and what stands in the line that isn't at its end yet."""
    *lines, unfinished = text.split("\n")
    return [shown_line(line).rstrip() for line in lines], shown_line(unfinished)


def zeros(match):
    return re.sub(r"\d", "0", match[0])


DAYS, MONTHS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun", "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
# What differs from day to day and from one machine to the next is compared by these.
FORMS = [
    (rf"\b({DAYS}),? ({MONTHS}) [ \d]\d\b", "Day Month 00"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?", zeros),
    (r"\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?\b", zeros),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "an id"),
    (r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b", lambda match: "x" * len(match[0])),
    (r"\bage1[02-9ac-hj-np-z]+", "age1"),
    (r"\b(process|pid|PID) \d+\b", r"\1 0"),
    (r"^\[\d+\]([-+ ]) *\d+$", r"[0]\1 0"),
    (r"\b\d+(?:\.\d+)? (bytes|[KMG]iB(?:/s)?)", r"0 \1"),
]


def form(text):
    for pattern, replacement in FORMS:
        text = re.sub(pattern, replacement, text)
    return text


def is_same(said, shown):
    if said.endswith(ANYTHING):
        return form(shown).startswith(form(said[: -len(ANYTHING)]))
    # Where a terminal doesn't echo, it doesn't show either what ends the question.
    return form(shown) in (form(said), form(said.removesuffix(" ^C")))


def skipping(said, places):
    """These places in what the page says, and those behind lines that stand for any, also for none."""
    reached = set()
    for place in places:
        reached.add(place)
        while place < len(said) and said[place] == ANYTHING:
            place += 1
            reached.add(place)
    return reached


def places_after(said, shown):
    """Where in what the page says one can be after these lines. Before the line that nothing fits, and that line."""
    places = skipping(said, {0})
    for number, line in enumerate(shown):
        following = set()
        for place in places:
            if place < len(said) and said[place] == ANYTHING:
                following.add(place)
            elif place < len(said) and is_same(said[place], line):
                following.add(place + 1)
        if not following:
            return places, number
        places = skipping(said, following)
    return places, None


def difference(said, shown):
    """None where both are the same; otherwise the index in what the page says, and the line there was, or None."""
    places, number = places_after(said, shown)
    if number is not None:
        return max(places), shown[number]
    return None if len(said) in places else (max(places), None)
