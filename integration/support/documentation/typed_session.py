"""A shell on a terminal of 80 columns, and a person who types what a page says."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from pathlib import Path

from shown_lines import ANYTHING, form, places_after, shown_lines

# Between two of these is the status of the last command, and the shell waits for the next.
MARK = "\x1e"
READY = re.compile(f"{MARK}(\\d+){MARK}$")
PROMPT = re.compile(r"[:?>\])] $|:$")
# More than any page shows.
MUCH = 1 << 20
KEYS = {"^C": "\x03", "^D": "\x04", "^Z": "\x1a"}


class Stuck(Exception):
    """The command waits, and the page doesn't say what for, or it never ends."""


# The numbers of read, poll and select on x86-64 and on arm64.
WAITING = {"0", "7", "23", "270", "271", "63", "72", "73"}


def waits(group):
    """Whether a process of the group waits for input, or may, because it lets nobody look."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) == group and process.joinpath("syscall").read_text().split()[0] in WAITING:
                return True
        except PermissionError:
            return True
        except (OSError, ValueError):
            # It has just ended.
            continue
    return False


def is_there(group):
    """Whether a process of the group is."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


class Session:
    """Types at once, or with `pace` seconds before each key and ten of these before an answer, because a program may
    throw away what comes before it has set the terminal; counts the keys."""

    def __init__(self, environment, home, patience, pace=0):
        self.patience, self.read, self.interrupted, self.pace, self.keys = 60, b"", None, 0, 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(home)
            prompt = {"PS1": f"{MARK}$?{MARK}", "PS2": "", "HISTFILE": ""}
            os.execve("/bin/bash", ["bash", "--noprofile", "--norc", "--noediting", "+H", "-i"], environment | prompt)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.wait_for(lambda: READY.search(self.shown()))
        # No program that the shell starts has these.
        self.read = b""
        self.type("export -n PS1 PS2 HISTFILE\n")
        self.wait_for(lambda: READY.search(self.shown()))
        self.patience, self.pace, self.keys = patience, pace, 0

    def shown(self):
        return self.read.decode("utf-8", "replace")

    def echoes(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def type(self, text):
        if "^C" in text:
            self.interrupted = os.tcgetpgrp(self.terminal)
        for part in re.split(r"(\^[CDZ])", text):
            typed = KEYS.get(part, part)
            self.keys += len(typed)
            for key in typed if self.pace else [typed]:
                time.sleep(self.pace)
                os.write(self.terminal, key.encode())

    def wait_until_ready(self):
        """The shell waits for the next command, and nothing that was interrupted is left. Otherwise it may throw
        away what is typed next, as git does when it sets the terminal as it was."""
        self.wait_for(lambda: READY.search(self.shown()))
        if self.interrupted not in (None, self.process):
            self.wait_for(lambda: not is_there(self.interrupted))
            self.interrupted = None

    def wait_for(self, condition):
        """Ends where nothing new has come for too long. A terminal doesn't tell that its echo has been changed, so that
        the condition is looked at again and again."""
        deadline = time.monotonic() + self.patience
        while not condition():
            if time.monotonic() > deadline or len(self.read) > MUCH:
                raise Stuck
            if select.select([self.terminal], [], [], 0.02)[0]:
                self.read += os.read(self.terminal, 65536)
                deadline = time.monotonic() + self.patience

    def output(self, text):
        """What the terminal shows after the command itself."""
        echoed = text.replace("\n", "\r\n") + "\r\n"
        shown = READY.sub("", self.shown())
        return shown[len(echoed):] if shown.startswith(echoed) else ""

    def due(self, said, text, answers):
        """What the person types now, if the command asks for something as the page says, or says anything may be."""
        lines, prompt = shown_lines(self.output(text))
        places, unlike = places_after(said, lines)
        if unlike is not None:
            return None
        for place in sorted(places):
            line = said[place] if place < len(said) else ""
            if line == "^C" and not prompt and place > 0:
                return line
            if not PROMPT.search(prompt):
                continue
            if not self.echoes():
                if line == ANYTHING or form(line.rstrip()) == form(prompt.rstrip()):
                    answer = answers.pop(0) if answers else "rosebud"
                    return answer if answer in KEYS else answer + "\n"
                if line.startswith(prompt) and line[len(prompt):] in KEYS:
                    return line[len(prompt):]
            elif not waits(os.tcgetpgrp(self.terminal)):
                # A part of a line that ends like a question.
                continue
            elif line.startswith(prompt):
                typed = line[len(prompt):]
                return typed if typed.endswith(tuple(KEYS)) else typed + "\n"
            elif line == prompt.rstrip() and prompt.endswith(("] ", "]: ", "? ")):
                return "\n"
        return None

    def run(self, command):
        """The lines that it shows, the one without an end among them, and its status; `Stuck` where it never ends."""
        self.read = b""
        said = [ANYTHING] if command.output is None else command.output
        self.type(command.text + "\n")
        answered = None
        while True:
            todo = []

            def over():
                if READY.search(self.shown()):
                    return True
                # Until something comes after the last answer, it is the same question.
                if len(self.read) != answered and (typed := self.due(said, command.text, command.answers)):
                    todo.append(typed)
                return bool(todo)

            self.wait_for(over)
            if not todo:
                break
            answered = len(self.read)
            time.sleep(10 * self.pace)
            self.type(todo[0])
        self.wait_until_ready()
        status = int(READY.search(self.shown())[1])
        lines, unfinished = shown_lines(self.output(command.text))
        return lines + [unfinished.rstrip()] * bool(unfinished), status

    def interrupt(self, command):
        """Ends what the command waits for, as a person would; what it had shown by then."""
        lines, unfinished = shown_lines(self.output(command.text))
        self.type("^C")
        self.wait_until_ready()
        return lines + [unfinished.rstrip()] * bool(unfinished)
