#!/usr/bin/env python3
"""A pinentry that logs what it is sent to $FAKE_LOG, and what it was given; $FAKE_PINENTRY says how it behaves.

Answers come from the file $FAKE_ANSWERS, a line for each GETPIN of whatever process, already escaped: `D text`, `ERR 1 text`.
"""
import os
import signal
import sys
import time

behaviour = os.environ.get("FAKE_PINENTRY", "")


def log(text):
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as file:
        file.write(text + "\n")


def say(text):
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except OSError:
        # Nobody is listening any more.
        os._exit(1)


def answer():
    path = os.environ["FAKE_ANSWERS"]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines[1:]))
    return lines[0] if lines else "ERR 83886179 Operation cancelled <Pinentry>"


log("START %d %s" % (os.getpid(), " ".join(sys.argv[1:])))
log("FDS " + " ".join(sorted(name for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name))))
# llavero doesn't withhold variables that only the tests use.
names = {name for name in os.environ if name.startswith(("LLAVERO", "SSH_ASKPASS"))}
names = {name for name in names if not name.startswith("LLAVERO_TEST_")}
log("ENV " + " ".join(sorted(names)))
if behaviour == "silent":
    time.sleep(100)
if behaviour == "no-greeting":
    say("ERR 1 not today")
    time.sleep(100)
if behaviour == "endless-line":
    while True:
        say("x" * 5000)
say("OK Pleased to meet you")
for line in sys.stdin:
    line = line.rstrip("\n")
    log(line)
    command = line.split(" ")[0]
    if command == "GETPIN":
        if behaviour == "hangs":
            time.sleep(100)
        if behaviour == "spoils":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.system("stty -echo </dev/tty; echo spoilt >/dev/tty")
            time.sleep(100)
        if behaviour == "dies":
            sys.exit(1)
        if behaviour == "flood":
            while True:
                say("D " + "x" * 900)
        if behaviour == "bad-escape":
            say("D abc%4")
        if behaviour == "asks-back":
            say("INQUIRE QUALITY abc")
            log("ANSWER " + sys.stdin.readline().rstrip("\n"))
        if behaviour == "repeats":
            say("S PIN_REPEATED")
        say("# a comment")
        given = answer()
        for part in given.split("|"):
            say(part)
        if not given.startswith("ERR"):
            say("OK")
    elif command == "BYE":
        say("OK closing connection")
        sys.exit(0)
    elif command == "OPTION":
        say("ERR 83886254 Unknown option <Pinentry>" if behaviour == "no-options" else "OK")
    elif command.startswith("SETREPEAT") and behaviour != "repeats":
        say("ERR 67109139 Unknown IPC command <Pinentry>")
    elif command == "SETDESC" and behaviour == "no-setdesc":
        say("ERR 67109139 Unknown IPC command <Pinentry>")
    else:
        say("OK")
