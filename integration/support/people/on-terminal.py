#!/usr/bin/env python3
"""on-terminal.py [--background] STEP... -- COMMAND...: a command on a terminal of its own, as a job of a small shell.

Steps, each done before the next:
  see TEXT         wait until the terminal shows it, after what was seen before
  type TEXT        type it; \\r, \\x04 and the like are understood
  echo on|off      wait until the terminal echoes or doesn't
  signal NAME      send a signal to the command alone
  stopped          wait until the job is stopped
  fg | bg          continue it, in the foreground or in the background
  run COMMAND      run it beside, with a shell; $SHOWN is what the terminal has shown
  enter COMMAND    type what such a command prints
  hangup           take the terminal away
All that the terminal shows goes to standard output when the command has ended, and as the last line of all
`status N` or `signal N`. A step that takes longer than 30 seconds ends it all with status 99.
"""
import ctypes
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

PATIENCE = 30

# The shell prints it once the job has ended: output may still arrive from the terminal after its writer is gone.
LAST = b"\0all is shown\0"


class Failed(Exception):
    pass


def shell(command, orders, reports, background):
    """Leads the session: runs the job, and says when it stops and ends."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        if not background:
            os.tcsetpgrp(0, os.getpid())
        for number in (signal.SIGTTOU, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.closerange(3, 100)
        os.execvp(command[0], command)
    try:
        os.setpgid(job, job)
    except OSError:
        pass
    os.write(reports, b"job %d\n" % job)
    while True:
        pid, status = os.waitpid(job, os.WNOHANG | os.WUNTRACED)
        if pid:
            if os.WIFSTOPPED(status):
                os.tcsetpgrp(0, os.getpid())
                os.write(reports, b"stopped\n")
            else:
                code = b"signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else b"status %d" % os.WEXITSTATUS(status)
                os.write(reports, code + b"\n")
                try:
                    os.write(1, LAST)
                except OSError:
                    pass
                # The terminal stays until its settings have been checked.
                os.read(orders, 100)
                os._exit(0)
        if select.select([orders], [], [], 0.01)[0]:
            order = os.read(orders, 100)
            if not order:
                os.kill(job, signal.SIGKILL)
                os._exit(0)
            if order == b"fg":
                os.tcsetpgrp(0, job)
            os.killpg(job, signal.SIGCONT)


class Session:
    def __init__(self, command, background):
        orders, self.orders = os.pipe()
        self.reports, reports = os.pipe()
        self.leader, self.master = pty.fork()
        if self.leader == 0:
            # It dies with this process, whatever happens to that.
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            os.close(self.orders)
            shell(command, orders, reports, background)
        os.close(orders)
        os.close(reports)
        self.shown = b""
        self.seen = 0
        self.said = b""
        self.heard = 0
        self.hung_up = False

    def pump(self, seconds=0.02):
        sources = [self.reports] + ([] if self.hung_up else [self.master])
        for source in select.select(sources, [], [], seconds)[0]:
            try:
                data = os.read(source, 65536)
            except OSError:
                data = b""
            if source == self.master:
                self.shown += data
            else:
                self.said += data

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise Failed("waited in vain: " + what)
            self.pump()

    def lines(self):
        return self.said.split(b"\n")[:-1]

    def ending(self):
        return next((line for line in self.lines() if line.startswith((b"status", b"signal"))), None)

    def echoes(self):
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def step(self, name, argument):
        if name == "see":
            text = argument.encode()
            self.until(lambda: self.shown.find(text, self.seen) >= 0, "see " + argument)
            self.seen = self.shown.find(text, self.seen) + len(text)
        elif name == "type":
            os.write(self.master, argument.encode().decode("unicode_escape").encode("latin-1"))
        elif name == "echo":
            self.until(lambda: self.echoes() == (argument == "on"), "echo " + argument)
        elif name == "signal":
            job = int(self.lines()[0].split()[1])
            os.kill(job, getattr(signal, "SIG" + argument))
        elif name == "stopped":
            def stops():
                return self.lines()[1:].count(b"stopped")
            self.until(lambda: stops() > self.heard, "stopped")
            self.heard += 1
        elif name in ("fg", "bg"):
            os.write(self.orders, name.encode())
        elif name in ("run", "enter"):
            shown = self.shown.replace(b"\0", b"").decode("utf-8", "replace")
            environment = {**os.environ, "SHOWN": shown[-50000:]}
            output = subprocess.PIPE if name == "enter" else None
            done = subprocess.run(argument, shell=True, check=True, env=environment, stdout=output)
            if name == "enter":
                os.write(self.master, done.stdout)
        elif name == "hangup":
            os.close(self.master)
            self.hung_up = True
        else:
            raise Failed("no such step: " + name)


def main():
    arguments = sys.argv[1:]
    background = arguments[:1] == ["--background"]
    if background:
        arguments = arguments[1:]
    split = arguments.index("--")
    session = Session(arguments[split + 1:], background)
    status = 0
    try:
        session.until(lambda: session.lines(), "the job")
        for step in arguments[:split]:
            name, _, argument = step.partition(" ")
            session.step(name, argument)
        session.until(lambda: session.ending(), "the end")
        if not session.hung_up:
            session.until(lambda: LAST in session.shown, "all that was shown")
            session.shown = session.shown.replace(LAST, b"")
            echo = "on" if session.echoes() else "off"
    except Failed as failure:
        print("FAILED:", failure)
        status = 99
    finally:
        try:
            os.close(session.orders)
        except OSError:
            pass
        sys.stdout.write(session.shown.decode("utf-8", "replace").replace("\r\n", "\n"))
        if status:
            print("\nreports:", session.said)
        else:
            print("\n" + ("" if session.hung_up else "echo " + echo + "\n") + session.ending().decode())
        sys.stdout.flush()
        try:
            os.kill(session.leader, signal.SIGKILL)
            os.waitpid(session.leader, 0)
        except (OSError, ChildProcessError):
            pass
    sys.exit(status)


main()
