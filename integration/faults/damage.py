#!/usr/bin/python3
"""damage.py [--all] vault|identity: changes the file, asks for a password and stores another.

Both are refused with status 2 and a message; nothing is answered and nothing is changed on disk. With --all every bit
is flipped and the file cut at every length; without it, one bit of each byte of age's header and of the start and the
end of what follows, of every 16th byte between them, and every 16th length, and one time in four a store is tried. What
is appended is refused too. Each refusal of a vault names the last good state, and some are put back.
"""

import sys

import trials
from operations import HELPER, NEIGHBOUR, NEW, OLD, OPERATIONS, PROGRAM, Home, Problem, request

OPERATION = OPERATIONS["store"]
# What the prepared home contains before its newest state.
LAST_GOOD = 9
LAST_BUT_ONE = "older-7"


def damaged(contents, kind, number):
    if kind == "flip":
        changed = bytearray(contents)
        changed[number // 8] ^= 1 << number % 8
        return bytes(changed)
    if kind == "cut":
        return contents[:number]
    return contents + bytes(number % 251 for _ in range(number))


def files(home):
    return {
        str(path.relative_to(home.path)): path.read_bytes() if path.is_file() else None
        for path in home.path.rglob("*")
    }


def refused(home, result, what):
    """Whether the result is a refusal; Problem if it is half of one."""
    if result.returncode == 0:
        return False
    if result.returncode != 2 or result.stdout:
        raise Problem("%s: status %d, stdout %r, stderr %r" % (what, result.returncode, result.stdout, result.stderr))
    said = result.stderr.decode("ascii").splitlines()
    if not 1 <= len(said) <= 2 or not all(line.startswith("llavero: ") and line.isprintable() for line in said):
        raise Problem("%s: says %r" % (what, result.stderr))
    if len(said) == 2 and not said[1].startswith("llavero: hint: "):
        raise Problem("%s: says %r" % (what, result.stderr))
    return True


def restored(home):
    """The last good state is back, with its own password or the newest."""
    result = home.run(PROGRAM, "vault", "restore")
    if result.returncode != 0:
        raise Problem("restore ends with %d: %r" % (result.returncode, result.stderr))
    if home.get() not in (OLD, LAST_BUT_ONE) or home.get("b.example", "bob") != NEIGHBOUR:
        raise Problem("put back, another password answers")
    home.next_store_works()
    return "refused, and put back"


def trial(home, _, which, kind, number, has_store):
    path = home.vault if which == "vault" else home.identity
    # With its copy of the last write, a vault could be put back whole.
    for name in home.vault.parent.glob(".vault.age.newest-*"):
        name.unlink()
    contents = path.read_bytes()
    changed = damaged(contents, kind, number)
    with open(path, "r+b") as file:
        file.truncate(len(changed))
        file.write(changed)
    before = files(home)
    got = home.run(HELPER, "get", input=request())
    if not refused(home, got, "get"):
        # A comment in the identity file may say anything, and the final line feed may be missing.
        key = contents.find(b"AGE-SECRET-KEY-1")
        is_spare = number // 8 < key if kind == "flip" else number == len(contents) - 1
        if which == "identity" and is_spare and got.stdout.decode() == "username=alice\npassword=%s\n" % OLD and not got.stderr:
            return "still the identity"
        raise Problem("get answers %r" % got.stdout)
    tried = [(HELPER, "store", request(password=NEW))] if has_store else []
    if kind == "flip" and number % 512 == 0:
        tried += [(HELPER, "erase", request()), (PROGRAM, "list", b"")]
    for program, command, text in tried:
        if not refused(home, home.run(program, command, input=text), command):
            raise Problem("a %s is done" % command)
    if files(home) != before:
        raise Problem("something changed on disk")
    if which == "vault":
        if b"newer than this program" in got.stderr:
            # The digit with the version. The meaning of a newer version's header can't be checked here.
            return "taken for a newer format"
        if b"llavero vault restore" not in got.stderr or b" write %d of " % LAST_GOOD not in got.stderr:
            raise Problem("the last good state isn't named: %r" % got.stderr)
        if number % 512 == 0:
            return restored(home)
    return "refused"


def main():
    is_whole = "--all" in sys.argv
    is_good = True
    for which in (argument for argument in sys.argv[1:] if argument != "--all"):
        with trials.Place() as folder:
            prepared = Home(folder / "prepared")
            prepared.prepare(OPERATION)
            contents = (prepared.vault if which == "vault" else prepared.identity).read_bytes()
            size = len(contents)
            # age's header is parsed byte by byte; in the encrypted part, which the identity hasn't, all bytes are alike.
            payload = contents.index(b"\n---") if which == "vault" else size
            some = [byte for byte in range(size) if byte < payload + 128 or byte % 16 == 0 or byte >= size - 64]
            bits = range(8 * size) if is_whole else [8 * byte + (byte + byte // 8) % 8 for byte in some]
            changes = [("flip", bit) for bit in bits]
            changes += [("cut", length) for length in range(0, size, 1 if is_whole else 16)]
            if which == "vault":
                changes += [("append", length) for length in (1, 15, 16, 17, 4096, 65536)]
            tasks = [(which, *change, is_whole or place % 4 == 0) for place, change in enumerate(changes)]
            outcomes, problems = trials.run(prepared, trial, tasks)
            if outcomes["taken for a newer format"] > 8:
                problems.append((("newer format", ""), "in %d cases" % outcomes["taken for a newer format"]))
            is_good &= trials.tell("%s of %d bytes, damaged" % (which, size), outcomes, problems, len(bits))
    sys.exit(0 if is_good else 1)


main()
