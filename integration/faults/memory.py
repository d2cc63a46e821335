#!/usr/bin/python3
"""memory.py NAME...: stops the real program at its last system call and looks through its memory for what it had to
forget: the secrets, the identity as text and as bytes, the passphrase. Needs root.

Of each needle any 15 bytes in a row are found, so that half a copy is, too. What isn't wiped by design, the host, has
to be found, or the search would prove nothing; and stopped in the middle, the program has to hold what it works with.
"""

import os
import pty
import secrets
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import trials
from operations import HELPER, LIMIT, PROGRAM, Home, request
from searching import bech32_bytes, encodings, in_memory

# Runs a command where a new passphrase gets a low work factor: support/harness/vaults.sh.
LITTLE_MEMORY = os.environ.get("LITTLE_MEMORY", "").splitlines()

NUMBERS = {
    "x86_64": {"exit_group": 231, "fsync": 74, "munmap": 11},
    "aarch64": {"exit_group": 94, "fsync": 82, "munmap": 215},
}[os.uname().machine]
HOST = "the-host-that-is-no-secret.example"
OTHER_HOST = "the-host-of-another-item.example"


def password():
    return secrets.token_urlsafe(30)


def stopped(process, call_name):
    """Waits until the process, or a child of it, stands before that call; its id."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        for candidate in (process, *children(process)):
            try:
                call = Path("/proc/%d/syscall" % candidate).read_text().split()[0]
                name = os.readlink("/proc/%d/exe" % candidate)
            except (OSError, IndexError):
                continue
            if call == str(NUMBERS[call_name]) and os.path.basename(name) in ("llavero", "llavero-credential"):
                return candidate
        time.sleep(0.02)
    raise SystemExit("the program never came to %s" % call_name)


def children(process):
    try:
        return [int(child) for child in Path("/proc/%d/task/%d/children" % (process, process)).read_text().split()]
    except OSError:
        return []


def stopping(call):
    """The call is held up long enough to look; when that is done, the program and strace are ended."""
    return ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=%s:delay_enter=100s" % call)


def unlocking(command, passphrase):
    """The command with the passphrase on a descriptor, if there is one, and the descriptors to pass on."""
    if passphrase is None:
        return command, ()
    reading, writing = os.pipe()
    os.write(writing, passphrase.encode() + b"\n")
    os.close(writing)
    # The operation is the helper's last argument.
    place = 1 if command[0] == HELPER else len(command)
    return (*command[:place], "--passphrase-fd", str(reading), *command[place:]), (reading,)


def run_unlocked(home, passphrase, command, text=b""):
    command, descriptors = unlocking(command, passphrase)
    subprocess.run(command, input=text, env=home.environment, cwd="/", pass_fds=descriptors, check=True,
                   capture_output=True)  # fmt: skip
    for descriptor in descriptors:
        os.close(descriptor)


def look(home, command, text, needles, passphrase=None, call="exit_group"):
    """Runs the command up to that call with this on standard input; what is found of the needles, and what it said."""
    command, descriptors = unlocking(command, passphrase)
    process = subprocess.Popen(
        (*stopping(call), *command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=home.environment, cwd="/", pass_fds=descriptors,
    )  # fmt: skip
    for descriptor in descriptors:
        os.close(descriptor)
    process.stdin.write(text)
    process.stdin.close()
    process.stdin = None
    return finish(process.pid, needles, process, call)


def on_terminal(arguments, environment):
    """Starts it on a terminal of its own; its id and the terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir("/")
        os.execvpe(arguments[0], arguments, environment)
    return process, terminal


def converse(terminal, typed):
    """Types the line whenever something is asked, until the other side is gone; what was shown."""
    shown = b""
    try:
        while chunk := os.read(terminal, 4096):
            shown += chunk
            if shown.endswith(b": "):
                os.write(terminal, typed.encode() + b"\n")
    except OSError:
        pass
    return shown


def look_on_terminal(home, command, typed, needles):
    """The same as look, where the program asks a person."""
    environment = {name: value for name, value in home.environment.items() if name != "LLAVERO_PROMPT"}
    process, terminal = on_terminal((*stopping("exit_group"), *command), environment)
    person = threading.Thread(target=converse, args=(terminal, typed), daemon=True)
    person.start()
    found, _ = finish(process, needles)
    person.join()
    os.close(terminal)
    return found


def finish(tracer, needles, process=None, call="exit_group"):
    target = stopped(tracer, call)
    found = in_memory(target, needles() if callable(needles) else needles)
    os.kill(target, signal.SIGKILL)
    os.kill(tracer, signal.SIGKILL)
    if process is None:
        os.waitpid(tracer, 0)
        return found, b""
    output, errors = process.communicate()
    return found, output + errors


def cases(home, passphrase):
    """Name, command, standard input, and the passwords that are in the vault or come along."""
    stored = {host: password() for host in (HOST, OTHER_HOST)}
    for host, secret in stored.items():
        run_unlocked(home, passphrase, (HELPER, "store"), request(host, "alice", secret))
    new, newer, added = password(), password(), password()
    url = "https://" + HOST
    yield "get", (PROGRAM, "get", url), b"", stored, stored[HOST]
    yield "get --json --secret", (PROGRAM, "get", "--json", "--secret", url), b"", stored, stored[HOST]
    yield "list", (PROGRAM, "list"), b"", stored, HOST
    yield "git-credential get", (HELPER, "get"), request(HOST), stored, stored[HOST]
    yield "git-credential store of the same", (HELPER, "store"), request(HOST, "alice", stored[HOST]), stored, ""
    yield "git-credential store", (HELPER, "store"), request(HOST, "alice", new), {**stored, "new": new}, ""
    yield "add", (PROGRAM, "add", url, "--account", "bob"), added.encode() + b"\n", {**stored, "new": new,
                                                                                     "added": added}, ""  # fmt: skip
    yield "update", (PROGRAM, "update", url, "--account", "bob"), newer.encode() + b"\n", {
        **stored, "new": new, "added": added, "newer": newer}, ""  # fmt: skip
    yield "git-credential erase", (HELPER, "erase"), request(HOST, "bob", newer), {
        **stored, "new": new, "newer": newer}, ""  # fmt: skip
    yield "delete", (PROGRAM, "delete", url, "--account", "alice", "--quiet"), b"", {**stored, "new": new}, ""


def identity_needles(text):
    key = next(line for line in text.splitlines() if line.startswith("AGE-SECRET-KEY-1"))
    return {"the identity's text": key[16:].encode(), "the identity's bytes": bech32_bytes(key)}


def with_identity(home):
    home.empty()
    home.store(password(), "first.example")
    return None, identity_needles(home.identity.read_text())


def with_passphrase(home):
    home.empty()
    passphrase = password()
    run_unlocked(home, passphrase, (*LITTLE_MEMORY, PROGRAM, "init"))
    (slot,) = home.vault.parent.glob("slots/*.age")
    process, terminal = on_terminal(("age", "-d", str(slot)), home.environment)
    text = converse(terminal, passphrase).decode()
    os.waitpid(process, 0)
    os.close(terminal)
    return passphrase, {**encodings("the passphrase", passphrase), **identity_needles(text)}


def questions(home, passphrase):
    """Name, command, what is typed, what that is called, and the host that has to be found."""
    if passphrase is not None:
        yield "list, asked on a terminal", (PROGRAM, "list"), passphrase, "the passphrase", OTHER_HOST
        return
    add = (PROGRAM, "add", "https://" + HOST, "--account", "typed")
    yield "add, asked on a terminal", add, password(), "what is typed", HOST


def working(home, passphrase, needles):
    """Looks while the program still works with them: whether each is found."""
    new = password()
    sought = {**needles, "the new password": new.encode()}
    found, _ = look(home, (HELPER, "store"), request(HOST, "alice", new), sought, passphrase, "fsync")
    names = {"the identity's bytes", "the new password"}
    if passphrase is not None:
        more, _ = look(home, (HELPER, "store"), request(HOST, "alice", new), sought, passphrase, "munmap")
        found.update(more)
        names.add("the passphrase")
    for name in names - set(found):
        print("%s isn't found while it is in use" % name)
    return names <= set(found)


def rotation(home, passphrase, needles, kind):
    """Looks at the end of a rotation for the former identity and, where it can be read there, for the new one."""

    def sought():
        new = identity_needles(home.identity.read_text()) if passphrase is None else {}
        return {**needles, **{"new: " + name: value for name, value in new.items()}, "the host": OTHER_HOST.encode()}

    run_unlocked(home, passphrase, (HELPER, "store"), request(OTHER_HOST, "carol", password()))
    before = home.mark()
    found, output = look(home, (PROGRAM, "rotate"), b"", sought, passphrase)
    # On a busy machine strace reports that it was ended while a process was.
    expected = (b"strace: ", b"llavero: the key file ")
    said = b"".join(line for line in output.splitlines(True) if not line.startswith(expected))
    if said or home.mark() == before:
        print("%s, rotate: says %r" % (kind, said))
        return False
    # Its memory doesn't need to contain a host, because no item is read.
    return judge(kind + ", rotate", {"the host": ["anywhere"], **found})


def judge(name, found):
    """Tells what was found; whether it was the host alone."""
    is_good = "the host" in found
    if not is_good:
        print("%s: not even the host is found" % name)
    for needle, places in found.items():
        if needle != "the host":
            print("%s: %s: %d pieces at %s" % (name, needle, len(places), " ".join(places[:3])))
            is_good = False
    return is_good


def main():
    is_good = True
    with trials.Place() as folder:
        home = Home(folder / "home")
        for kind in sys.argv[1:]:
            passphrase, needles = {"identity": with_identity, "passphrase": with_passphrase}[kind](home)
            is_good &= working(home, passphrase, needles)
            count = 0
            for name, command, text, passwords, answer in cases(home, passphrase):
                sought = dict(needles)
                for host, secret in passwords.items():
                    sought.update(encodings("the password of " + host, secret))
                sought["the host"] = HOST.encode()
                found, output = look(home, command, text, sought, passphrase)
                if answer.encode() not in output or b"llavero: " in output:
                    print("%s, %s: says %r" % (kind, name, output))
                    is_good = False
                is_good &= judge(kind + ", " + name, found)
                count += 1
            for name, command, typed, what, host in questions(home, passphrase):
                sought = {**needles, **encodings(what, typed), "the host": host.encode()}
                is_good &= judge(kind + ", " + name, look_on_terminal(home, command, typed, sought))
                count += 1
            if passphrase is not None:
                # If somebody was asked, the key is kept for a while, and nobody is asked again.
                sought = {**needles, "the host": OTHER_HOST.encode()}
                found, output = look(home, (PROGRAM, "list"), b"", sought)
                if OTHER_HOST.encode() not in output:
                    print("%s: the key isn't kept: %r" % (kind, output))
                    is_good = False
                is_good &= judge(kind + ", list with a kept key", found)
                count += 1
            home.run(PROGRAM, "lock", "--keychain", "file")
            is_good &= rotation(home, passphrase, needles, kind)
            count += 1
            print("%s: looked through the memory of %d commands" % (kind, count))
    sys.exit(0 if is_good else 1)


main()
