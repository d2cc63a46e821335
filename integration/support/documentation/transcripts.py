#!/usr/bin/env python3
"""transcripts.py [--patience SECONDS] [--pace SECONDS] [--world | --hosts | NAME] <PAGE: types the commands of a page
on a terminal, and compares what is shown there with what the page says; prints each difference with the page's NAME
and line.

  --world     prints instead in which world the page's session is, if it names one
  --hosts     prints instead the hosts that the page names
  --patience  how long a command may show nothing new
  --pace      how long a key takes; then the keys and seconds of the commands that the page shows are printed, too

transcript_page.py describes the pages. Where a line of the page ends with …, anything may follow, and a line … stands
for any lines; dates, times, ids, process numbers and sizes have to have the same form (shown_lines.py). A person
answers where a line of the page goes on after what a program has written so far (typed_session.py).
"""

import argparse
import os
import re
import sys
import time

from shown_lines import difference
from transcript_page import PageFault, read_page
from typed_session import Session, Stuck

HOSTS = re.compile(r"\b(?:[a-z0-9-]+\.)*(?:example\.com|github\.com|gitlab\.com|codeberg\.org)\b")
WAITS = "waits"
KEPT = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "LLAVERO_PROBE_TIMEOUT", "LLAVERO_CALL_TIMEOUT",
        "LLAVERO_LOCK_TIMEOUT", "LLAVERO_NETWORK_TIMEOUT", "PATH", "HOME", "USER", "LOGNAME")  # fmt: skip


def environment():
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return kept | {"SHELL": "/bin/bash", "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC", "PAGER": "cat"}


def difference_of(command, lines):
    """(line, text) of where the output differs from the page's, if it does."""
    found = difference(command.output, lines)
    if not found:
        return None
    place, shown = found
    said = command.output[place] if place < len(command.output) else None
    page, there = ("(nothing more)" if text is None else text for text in (said, shown))
    return command.output_line + place, f"the output differs\n  the page: {page}\n  shown:    {there}"


def fault_of(command, session):
    """(line, text, whether it goes on) if the command doesn't do what the page says; the line is its own, or that where
    its output differs."""
    try:
        lines, status = session.run(command)
    except Stuck:
        lines, status = session.interrupt(command), WAITS
    line, texts = command.line, []
    if status == WAITS:
        texts.append("it waits, and the page doesn't say for what, so that nothing after it is typed")
    if command.output is None:
        if status != 0 and status != WAITS:
            texts.append(f"it failed with status {status}")
    elif found := difference_of(command, lines):
        line = found[0]
        texts.append(found[1])
    if not texts:
        return None
    shown = [f"  all of it: $ {command.text}", *("    " + line for line in lines)]
    return line, "\n".join([*texts, *shown]), status != WAITS


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--world", action="store_true")
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--patience", type=float, default=60)
    parser.add_argument("--pace", type=float, default=0)
    parser.add_argument("name", nargs="?", default="page")
    options = parser.parse_args()
    text = sys.stdin.read()
    if options.hosts:
        print(*sorted(set(HOSTS.findall(text))), sep="\n")
        return 0
    try:
        page = read_page(text)
    except PageFault as fault:
        print(f"{options.name}:{fault.line}: {fault}")
        return 1
    if options.world:
        print(page.world)
        return 0
    session = Session(environment(), os.environ["HOME"], options.patience, options.pace)
    count, different, keys, seconds = 0, 0, 0, 0.0
    try:
        for command in page.commands:
            keys_before, begin = session.keys, time.monotonic()
            if fault := fault_of(command, session):
                print(f"{options.name}:{fault[0]}: {fault[1]}")
                different += 1
                if not fault[2]:
                    break
            if command.output is not None:
                count += 1
                keys += session.keys - keys_before
                seconds += time.monotonic() - begin
    except (Stuck, OSError):
        print(f"{options.name}:{command.line}: the shell has ended, or ^C doesn't end what it runs: $ {command.text}")
        return 1
    print(f"{options.name}: {count} commands", *[f"{keys} keys, {seconds:.1f} seconds"] * bool(options.pace), sep=", ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
