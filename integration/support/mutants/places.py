"""Finds the places of the sources that can be changed, and what each becomes.

A change is an expression that has both forms, `mutated(N) ? other : own`, so that all of them are built at once and one is
switched on in what was built."""

import hashlib
import re
from dataclasses import dataclass

KINDS = ("turned", "check", "bound", "call", "value", "fields")

_CONDITION = re.compile(r"^(\s*(?:\} else )?(if|guard) )(.+?)( else \{| \{)(.*)$")
_STATEMENT = re.compile(r"^(\s*)((?:try |await )*(?:self\.)?[a-z][\w.?!]*\([^{}]*\))$")
_LEFT_OUT = re.compile(
    r"sync|lock|wipe|zero|check|verif|requir|ensur|refus|remov|clos|forget|eras|flush|clear|discard|fail|append|insert|note|"
    r"record|write|restor|revok|cancel|send|store|add|save|keep|limit|reset",
    re.IGNORECASE,
)
_COMPARISON = re.compile(r" (<=|>=|<|>) ")
_MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_NUMBER = re.compile(r"^(\s*(?:(?:private|package|public|static) )*let \w+(?:: \w+)? = )(\d[\d_]*(?: \* [\d_]+)*)$")
_VALUE = re.compile(r"^(\s*(?:return|\w[\w.]* =) )(true|false)$")
_STATUS = re.compile(r"((?:ExitStatus|status: |return |-> |: )\.)(done|nothingMatched|keychain|usage)\b(?!\()")
_STATUSES = {"done": "nothingMatched", "nothingMatched": "done", "keychain": "nothingMatched", "usage": "keychain"}
_FIELDS = re.compile(r"\b(\w+): ([a-z][\w.?]*), (\w+): ([a-z][\w.?]*)(?=[,)])")


@dataclass
class Place:
    module: str
    path: str
    line: int
    kind: str
    text: str
    # What the line becomes, with NUMBER where the place's number belongs.
    changed: str
    key: str = ""

    def described(self):
        return "%s:%d: %s: %s" % (self.path, self.line + 1, self.kind, self.text.strip())


def _balanced(text):
    depth = 0
    for character in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def _code_lines(lines):
    """The numbers of lines that are code by themselves: no comment, no part of a longer string or of a longer expression."""
    in_text = False
    for number, line in enumerate(lines):
        quotes = line.count('"""')
        if in_text or quotes:
            if quotes % 2:
                in_text = not in_text
            continue
        stripped = line.strip()
        if not stripped or stripped.startswith(("//", "@", "#", "import")) or "//" in stripped:
            continue
        before = lines[number - 1].strip() if number else ""
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if after.startswith((".", "?", ":", "&&", "||", ")", "+", "-", "=")):
            continue
        if before.endswith((",", "(", "[", "=", "?", ":", "&&", "||", "+", "return", "??")):
            continue
        yield number, line, after


def _simple(condition):
    """Whether it is one expression of type Bool."""
    return _balanced(condition) and not re.search(r"\b(let|var|case|is|as|await)\b|[{}#]", condition)


def _of_condition(line, after):
    found = _CONDITION.match(line)
    if not found:
        return
    head, word, whole, opening, rest = found.groups()
    clauses = whole.split(", ")
    while len(clauses) > 1 and not _balanced(clauses[-1]):
        clauses[-2:] = [", ".join(clauses[-2:])]
    condition = clauses.pop()
    if not _simple(condition):
        return
    if clauses:
        head += ", ".join(clauses) + ", "
    # The reader doesn't know where another expression begins.
    if any(not _balanced(clause) for clause in clauses):
        return

    def with_condition(changed):
        return head + changed + opening + rest

    own = "(%s)" % condition
    yield "turned", with_condition("mutated(NUMBER) != %s" % own)
    leaves = re.match(r"(throw|return|continue|fail|refuse)\b", rest.strip() or after)
    if word == "guard":
        yield "check", with_condition("mutated(NUMBER) ? true : %s" % own)
    elif leaves:
        yield "check", with_condition("mutated(NUMBER) ? false : %s" % own)
    if len(_COMPARISON.findall(condition)) == 1:
        moved = _COMPARISON.sub(lambda match: " %s " % _MOVED[match[1]], condition)
        yield "bound", with_condition("(mutated(NUMBER) ? (%s) : %s)" % (moved, own))


def _of_line(line, after):
    yield from _of_condition(line, after)
    found = _NUMBER.match(line)
    if found and found[2] not in ("0", "1"):
        yield "bound", "%smutated(NUMBER) ? %s + 1 : %s" % (found[1], found[2], found[2])
    found = _STATEMENT.match(line)
    if found and _balanced(found[2]) and _LEFT_OUT.search(found[2].split("(")[0]):
        yield "call", "%sif !mutated(NUMBER) { %s }" % found.groups()
    found = _VALUE.match(line)
    if found:
        yield "value", "%smutated(NUMBER) != %s" % found.groups()
    found = _STATUS.search(line)
    if found and not line.strip().startswith(("case", "static")):
        chosen = "(mutated(NUMBER) ? .%s : .%s)" % (_STATUSES[found[2]], found[2])
        yield "value", line[: found.end(1) - 1] + chosen + line[found.end() :]
    found = _FIELDS.search(line)
    if found and not re.search(r"\b(func|init|case|let \(|->)\b", line) and found[2] != found[4] and not (
        {found[2], found[4]} & {"true", "false", "nil", "errno"}
    ):
        chosen = "%s: mutated(NUMBER) ? %s : %s, %s: mutated(NUMBER) ? %s : %s" % (
            found[1], found[4], found[2], found[3], found[2], found[4])  # fmt: skip
        yield "fields", line[: found.start()] + chosen + line[found.end() :]


def of_module(root, module, seed):
    """All places of a module in the order in which they are taken, which a change elsewhere doesn't change."""
    found = []
    for file in sorted((root / "Sources" / module).rglob("*.swift")):
        path = str(file.relative_to(root))
        source = file.read_text()
        if "@inlinable" in source:
            continue
        seen = {}
        for number, line, after in _code_lines(source.split("\n")):
            for kind, changed in _of_line(line, after):
                same = (kind, line.strip())
                seen[same] = seen.get(same, 0) + 1
                name = "%d %s %s %s %d" % (seed, path, kind, line.strip(), seen[same])
                key = hashlib.sha256(name.encode()).hexdigest()
                found.append(Place(module, path, number, kind, line, changed, key))
    return sorted(found, key=lambda place: place.key)


def chosen(places, count):
    """`count` of them, as many of each kind as there are, none on the line of another one."""
    queues = {kind: [place for place in places if place.kind == kind] for kind in KINDS}
    taken = []
    lines = set()
    while len(taken) < count and any(queues.values()):
        for kind in KINDS:
            while queues[kind]:
                place = queues[kind].pop(0)
                if (place.path, place.line) in lines:
                    continue
                lines.add((place.path, place.line))
                taken.append(place)
                break
    return taken[:count]
