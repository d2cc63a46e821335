"""The operations that change a vault, homes to try them in, and what state a home is in afterwards."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PREFIX = Path(os.environ["PREFIX"])
HELPER = str(PREFIX / "bin" / "git-credential-llavero")
PROGRAM = str(PREFIX / "bin" / "llavero")
LIMIT = 60  # the number of seconds after which a run counts as hanging

OLD = "the-old-password-of-alice"
NEW = "the-new-password-of-alice"
NEIGHBOUR = "the-password-of-bob"


def request(host="a.example", account="alice", password=None):
    """What git writes: with a password for store and erase, without one for get."""
    lines = ["protocol=https", "host=" + host, "username=" + account]
    if password is not None:
        lines.append("password=" + password)
    return "".join(line + "\n" for line in lines).encode()


@dataclass(frozen=True)
class Operation:
    """A change: what is typed, and what answers for a.example before and after it."""

    name: str
    command: tuple
    request: bytes
    old: str | None
    new: str | None
    has_vault: bool = True
    changes_identity: bool = False
    purges: bool = False  # removes all earlier generations
    after_rotation: bool = False  # after one that was killed when its key had only the provisional name

    @property
    def changes_answer(self):
        return self.old != self.new


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("first-store", (HELPER, "store"), request(password=NEW), None, NEW, has_vault=False),
        Operation("store", (HELPER, "store"), request(password=NEW), OLD, NEW),
        Operation("erase", (HELPER, "erase"), request(), OLD, None),
        Operation("rotate", (PROGRAM, "rotate"), b"", OLD, OLD, changes_identity=True, purges=True),
        Operation("store-after-rotate", (HELPER, "store"), request(password=NEW), OLD, NEW, after_rotation=True),
        Operation("rotate-after-rotate", (PROGRAM, "rotate"), b"", OLD, OLD, changes_identity=True, purges=True,
                  after_rotation=True),  # fmt: skip
        Operation("compact", (PROGRAM, "vault", "compact", "--yes"), b"", OLD, OLD, purges=True),
    )
}


class Problem(Exception):
    """What must not happen, happened."""


class Home:
    """A home of its own for one run after the other."""

    def __init__(self, folder):
        self.path = Path(folder)
        self.vault = self.path / ".local/share/llavero/vault.age"
        self.identity = self.path / ".local/state/llavero/identity.txt"
        self.generations = self.path / ".local/share/llavero/generations"
        # A copy of the prepared vault's identity.
        self.former_identity = self.path / "former-identity.txt"
        self.environment = {
            "HOME": str(self.path),
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "LLAVERO_KEYCHAIN": "file",
            "LLAVERO_PROMPT": "never",
            "LLAVERO_LOCK_TIMEOUT": "5",
        }

    def empty(self):
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(mode=0o700)

    def become(self, other):
        """Becomes a copy of another home."""
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(other.path, self.path, symlinks=True)

    def run(self, *command, input=b"", environment=()):
        try:
            return subprocess.run(
                command,
                input=input,
                capture_output=True,
                env={**self.environment, **dict(environment)},
                cwd="/",
                timeout=LIMIT,
            )
        except subprocess.TimeoutExpired:
            raise Problem("%s hangs" % " ".join(command)) from None

    def store(self, password, host="a.example", account="alice"):
        result = self.run(HELPER, "store", input=request(host, account, password))
        if result.returncode != 0 or result.stdout:
            raise Problem("a store fails: %s %s" % (result.returncode, result.stderr))

    def get(self, host="a.example", account="alice"):
        """The password that answers, or None."""
        result = self.run(HELPER, "get", input=request(host, account))
        if result.returncode != 0 or result.stderr:
            raise Problem("a get fails: %s %s" % (result.returncode, result.stderr))
        passwords = [line[9:] for line in result.stdout.decode().splitlines() if line.startswith("password=")]
        if len(passwords) > 1 or (result.stdout and not passwords):
            raise Problem("a garbled answer: %r" % result.stdout)
        return passwords[0] if passwords else None

    def prepare(self, operation):
        """The state before the operation: for all but a first store, a vault with a history."""
        self.empty()
        if not operation.has_vault:
            return
        self.store(NEIGHBOUR, "b.example", "bob")
        for number in range(8):
            self.store("older-%d" % number)
        if operation.old is not None:
            self.store(operation.old)
        if operation.after_rotation:
            former = self.identity.read_bytes()
            result = self.run(PROGRAM, "rotate")
            if result.returncode != 0:
                raise Problem("rotate fails: %r" % result.stderr)
            self.identity.rename(self.identity.with_name("identity.txt.new"))
            self.identity.touch(mode=0o600)
            self.identity.write_bytes(former)
            shutil.copy2(self.identity.with_name("identity.txt.new"), self.former_identity)
            if self.get() != operation.old:
                raise Problem("the provisional key isn't used")
            return
        shutil.copy2(self.identity, self.former_identity)

    def temporaries(self):
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob(".*.tmp"))

    def holds(self, text):
        """Whether the text stands in a file as it is."""
        return any(
            path.is_file() and not path.is_symlink() and text.encode() in path.read_bytes()
            for path in self.path.rglob("*")
        )

    def mark(self):
        """What tells one vault from another; None where there is none."""
        return hashlib.sha256(self.vault.read_bytes()).hexdigest() if self.vault.exists() else None

    def state(self, operation, before):
        """'old' or 'new'; anything else is a Problem. `before` is the mark of the prepared home."""
        answer = self.get()
        if operation.has_vault and self.get("b.example", "bob") != NEIGHBOUR:
            raise Problem("an item that nobody touched is gone")
        if not operation.changes_answer:
            if answer != operation.old:
                raise Problem("the answer is %r" % answer)
            return "old" if self.mark() == before else "new"
        if answer == operation.new and answer != operation.old:
            return "new"
        if answer == operation.old:
            return "old"
        raise Problem("the answer is %r, neither the old nor the new one" % answer)

    def check_done(self, operation):
        """Raises Problem where a done operation left what it had to remove."""
        if operation.purges and self.generations.is_dir() and any(self.generations.iterdir()):
            raise Problem("earlier states are left: %s" % sorted(path.name for path in self.generations.iterdir()))
        if operation.changes_identity:
            opened = self.run("age", "-d", "-i", str(self.former_identity), "-o", "/dev/null", str(self.vault))
            if opened.returncode == 0:
                raise Problem("the former identity still opens the vault")

    def next_store_works(self):
        self.store("next")
        if self.get() != "next":
            raise Problem("what the next store kept isn't there")
        if not self.identity.is_file():
            raise Problem("after the next store there is no %s" % self.identity.name)
