#!/usr/bin/env python3
"""first-hour.py pages FOLDER | table FOLDER [--json] [--check]: what a newcomer types until a tool logs in.

  pages   writes a page NUMBER.md for each session of first_hour_sessions.py whose programs are there, on the PATH or in
          FOLDER/shared/bin; bench-first-hour.sh has transcripts.py type it, and writes what that says to NUMBER.said
  table   prints the figures of all sessions, as Markdown or JSON; a ratio is that of llavero's keys to a peer's
  --check status 1 if llavero needs more keys or more commands than a peer
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
    return next((f"{name} isn't installed" for name in session.needs.split() if not shutil.which(name, path=path)), "")


def numbered():
    pairs = [(goal, session) for goal, sessions in GOALS.items() for session in sessions]
    return [(f"{number:02}", *pair) for number, pair in enumerate(pairs)]


def figures(folder):
    ours = {}
    for number, goal, session in numbered():
        row = {"goal": goal, "with": session.name, "kept": session.kept}
        if why := session.not_run or missing(session, folder):
            yield row | {"notRun": why}
            continue
        said = SAID.search((folder / f"{number}.said").read_text())
        row |= {"commands": int(said[1]), "keys": int(said[2]), "seconds": float(said[3])}
        if session.name.startswith("llavero"):
            ours.setdefault(goal, row)
        else:
            row["ratio"] = ours[goal]["keys"] / row["keys"]
            row["pass"] = row["ratio"] <= 1 and ours[goal]["commands"] <= row["commands"]
        yield row


def table(rows):
    yield "| goal | with | kept in | commands | keys | seconds | ratio of keys | |"
    yield "|---|---|---|--:|--:|--:|--:|---|"
    for row, before in zip(rows, [{}, *rows]):
        goal = row["goal"] + " " if row["goal"] != before.get("goal") else ""
        if "notRun" in row:
            yield f"| {goal}| {row['with']} | not run: {row['notRun']} | | | | | |"
            continue
        ratio = f"{row['ratio']:.2f} | {'pass' if row['pass'] else 'short'}" if "ratio" in row else "|"
        yield (f"| {goal}| {row['with']} | {row['kept']} | {row['commands']} | {row['keys']} | {row['seconds']:.1f} "
               f"| {ratio} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["pages", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.what == "pages":
        for number, _, session in numbered():
            if not (session.not_run or missing(session, options.folder)):
                (options.folder / f"{number}.md").write_text(page(session))
        return 0
    rows = list(figures(options.folder))
    print(json.dumps({"rows": rows}, indent=2) if options.json else "\n".join(table(rows)))
    return 1 if options.check and not all(row.get("pass", True) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
