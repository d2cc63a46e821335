#!/usr/bin/python3
"""Runs a command in a folder of its own, and sees to it that nothing of it is left: supervise.py NAME COMMAND...

The folder is $LLAVERO_TEST_FOLDER to the command, and noted in the file $LLAVERO_TEST_FOLDERS; one of its name in
/dev/shm belongs to it. When the command ends, or this is ended by whatever signal, every process that the command has
started is ended, wherever it has gone, and the folder removed. A process that the command leaves behind makes the
status 1.

There are two of these, so that one is there whichever is killed: the inner one, in a session of its own, is told by the
kernel when the outer one dies; what the inner one would have ended comes to the outer one when the inner one dies. The
command finds no signal ignored, also where this is run by nohup.
"""

import ctypes
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

SET_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36
ENDING = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}
# The time for processes that end by themselves when their bus or parent is gone.
PATIENCE = 10
libc = ctypes.CDLL(None, use_errno=True)


def start(program, death_signal):
    """Forks; the child runs the program, with every signal at its default, and dies with this process."""
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    libc.prctl(SET_DEATH_SIGNAL, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    program()
    os._exit(1)


def execute(command):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"supervise.py: {command[0]}: {error.strerror}")


def reap():
    """Takes the statuses of children that have ended."""
    ended = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if process == 0:
            return ended
        ended[process] = os.waitstatus_to_exitcode(status)


def descendants():
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = file.read().rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(int(parent), []).append(int(name))
    return list(all_below(os.getpid(), children))


def all_below(process, children):
    for child in children.get(process, []):
        yield child
        yield from all_below(child, children)


def command_line(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")[:200]
    except OSError:
        return ""


def none_is_left(seconds):
    end = time.monotonic() + seconds
    while True:
        reap()
        if not descendants():
            return True
        if time.monotonic() > end:
            return False
        time.sleep(0.02)


def noted_folders(folder):
    """Those of supervisors below this one, which the command has asked them to note."""
    try:
        with open(os.path.join(folder, "folders"), encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def end_all(folder):
    """Ends all that is below this process: as asked, and what doesn't by force."""
    # Supervisors first end their descendants, and then remove their folders.
    for number, seconds in ((signal.SIGTERM, 60 if noted_folders(folder) else 5), (signal.SIGKILL, 1), (signal.SIGKILL, 10)):
        for process in descendants():
            for each in (number, signal.SIGCONT):
                try:
                    os.kill(process, each)
                except (ProcessLookupError, PermissionError):
                    pass
        if none_is_left(seconds):
            return
    for process in descendants():
        print(f"supervise.py: cannot end {process}: {command_line(process)}", file=sys.stderr)


def remove(folder):
    for each in noted_folders(folder):
        remove(each)
    for each in (folder, os.path.join("/dev/shm", os.path.basename(folder))):
        if os.path.lexists(each):
            subprocess.run(["chmod", "-R", "u+rwX", each], stderr=subprocess.DEVNULL, check=False)
            shutil.rmtree(each, ignore_errors=True)
        if os.path.lexists(each):
            print(f"supervise.py: cannot remove {each}", file=sys.stderr)


def attend(child, folder):
    """Waits for the child or for a signal; then nothing is left. The child's status, or the signal."""
    while True:
        received = signal.sigwait(ENDING | {signal.SIGCHLD})
        if received in ENDING:
            result = -received
            break
        ended = reap()
        if child in ended:
            result = ended[child]
            break
    if result >= 0 and not none_is_left(PATIENCE):
        for process in descendants():
            print(f"left behind: {process} {command_line(process)}", file=sys.stderr)
        result = result or 1
    end_all(folder)
    remove(folder)
    return result


def leave(result):
    os._exit(result if result >= 0 else 128 - result)


def main():
    name, command = sys.argv[1], sys.argv[2:]
    libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Signals that are ignored here, as under nohup, are not waited for.
    heeded = {number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN}
    signal.pthread_sigmask(signal.SIG_BLOCK, heeded | {signal.SIGCHLD})
    folder = tempfile.mkdtemp(prefix=f"llavero-{name}.")
    os.chmod(folder, stat.S_IRWXU | stat.S_IXGRP | stat.S_IXOTH)
    os.environ["LLAVERO_TEST_FOLDER"] = folder
    if "LLAVERO_TEST_FOLDERS" in os.environ:
        with open(os.environ["LLAVERO_TEST_FOLDERS"], "a", encoding="utf-8") as file:
            print(folder, file=file)

    def inner():
        os.setsid()
        libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING | {signal.SIGCHLD})
        leave(attend(start(lambda: execute(command), signal.SIGKILL), folder))

    leave(attend(start(inner, signal.SIGTERM), folder))


main()
