"""Looks through the memory of a process for what it had to forget."""

import base64

WINDOW = 12
STRIDE = 4
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def bech32_bytes(text):
    """The 32 bytes of AGE-SECRET-KEY-1… (BIP 173, without its length limit)."""
    digits = [BECH32.index(letter) for letter in text.lower().rpartition("1")[2][:-6]]
    number = 0
    for digit in digits:
        number = number << 5 | digit
    spare = len(digits) * 5 - 256
    assert number & (1 << spare) - 1 == 0
    return (number >> spare).to_bytes(32, "big")


def encodings(name, secret):
    """The secret as it is, and as JSON's base64 would have it."""
    return {name: secret.encode(), name + " in base64": base64.b64encode(secret.encode())}


def in_memory(process, needles):
    """Where pieces of the needles are: name to mappings."""
    pieces = {
        value[start : start + WINDOW]: name
        for name, value in needles.items()
        for start in range(0, len(value) - WINDOW + 1, STRIDE)
    }
    found = {}
    with open("/proc/%d/maps" % process) as maps, open("/proc/%d/mem" % process, "rb", buffering=0) as memory:
        for line in maps:
            span, mode, _, _, _, *name = line.split()
            if "w" not in mode:
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            memory.seek(start)
            contents = memory.read(end - start)
            # One search after the other: an expression of all pieces takes ten times as long.
            for piece, needle in pieces.items():
                at = contents.find(piece)
                while at >= 0:
                    found.setdefault(needle, []).append("%s+%#x" % (name[0] if name else "anonymous", at))
                    at = contents.find(piece, at + 1)
    return found
