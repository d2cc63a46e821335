#!/usr/bin/env python3
"""first-hour.py pages FOLDER | table FOLDER [--json] [--check]: what a newcomer types until a tool logs in.

  pages   writes a page NUMBER.md for each session of first_hour_sessions.py whose programs are there, on the PATH or in
          FOLDER/shared/bin; bench-first-hour.sh has transcripts.py type it, and writes what that says to NUMBER.said
  table   prints the figures of all sessions, as Markdown or JSON
  --check status 1 if llavero needs more keys or more commands than a peer that keeps nothing in plain text
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sys

from first_hour_sessions import GOALS

SAID = re.compile(r"^\S+: (\d+) commands, (\d+) keys, ([\d.]+) seconds$", re.MULTILINE)


def page(session):
    unseen = "".join(f"<!-- $ {command} -->\n" for command in session.before)
    typed = "".join(f"<!-- types: {secret} -->\n" for secret in session.secrets)
    world = "<!-- world: keyring -->\n" * session.keyring
    return f"{world}{unseen}{typed}```console\n{session.typed}```\n<!-- $ {session.check} -->\n"


def missing(session, folder):
    path = os.pathsep.join([str(folder / "shared/bin"), os.environ["PATH"]])
    absent = [program for program in session.needs.split() if not shutil.which(program, path=path)]
    return f"{', '.join(absent)} isn't installed" if absent else ""


def numbered():
    sessions = [(goal, session) for goal, sessions in GOALS.items() for session in sessions]
    return [(f"{number:02}", goal, session) for number, (goal, session) in enumerate(sessions)]


def figures(folder):
    for number, goal, session in numbered():
        row = {"goal": goal, "with": session.name, "kept": session.kept}
        if why := session.not_run or missing(session, folder):
            yield row | {"notRun": why}
            continue
        said = SAID.search((folder / f"{number}.said").read_text())
        yield row | {"commands": int(said[1]), "keys": int(said[2]), "seconds": float(said[3])}


def table(rows):
    yield "| goal | with | kept in | commands | keys | seconds | keys, llavero's 1 |"
    yield "|---|---|---|--:|--:|--:|--:|"
    goal, ours = None, None
    for row in rows:
        named = row["goal"] if row["goal"] != goal else ""
        if row["goal"] != goal:
            goal, ours = row["goal"], row.get("keys")
        if "notRun" in row:
            yield f"| {named} | {row['with']} | not run: {row['notRun']} | | | | |"
            continue
        yield (f"| {named} | {row['with']} | {row['kept']} | {row['commands']} | {row['keys']} | {row['seconds']:.1f} "
               f"| {row['keys'] / ours:.2f} |")  # fmt: skip


def short(rows):
    """What llavero needs more of than a peer that protects what it keeps."""
    for row in rows:
        ours = next(other for other in rows if other["goal"] == row["goal"])
        if "keys" in row and "keys" in ours and not row["kept"].startswith("plain text"):
            for what in ("commands", "keys"):
                if ours[what] > row[what]:
                    yield f"{row['goal']}: {ours[what]} {what}, {row[what]} with {row['with']}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["pages", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.what == "pages":
        for number, _, session in numbered():
            if not session.not_run and not missing(session, options.folder):
                (options.folder / f"{number}.md").write_text(page(session))
        return 0
    rows = list(figures(options.folder))
    print(json.dumps({"rows": rows}, indent=2) if options.json else "\n".join(table(rows)))
    faults = list(short(rows)) if options.check else []
    for fault in faults:
        print(f"first-hour: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
