"""A copy of the sources that has all changes in it, and what is built of it."""

import re
import shutil
import subprocess
import sys

import places as finder

# Found in what was built; behind it is the number of the change that is switched on.
_MARK = bytes.fromhex("6c6c61766572f06d7574616e747388e1")

_SWITCH = """// Which change is switched on: what was built is written to.
nonisolated(unsafe) public var switchedOn: (UInt64, UInt64, UInt64) = (0x%s, 0x%s, 0)

public func mutated(_ number: UInt64) -> Bool { switchedOn.2 == number }
""" % (_MARK[7::-1].hex(), _MARK[:7:-1].hex())

_PROGRAMS = (
    "bin/llavero",
    "bin/llavero-credential",
    "libexec/llavero/llavero-forward",
    "libexec/llavero/llavero-secret-service",
    "libexec/llavero/llavero-network",
)


class Tree:
    def __init__(self, root, folder, revision):
        self.root = root
        self.folder = folder
        self.revision = revision
        self.path = folder / "tree"
        self.original = folder / "original"
        self.prefix = folder / "prefix"
        self.built = self.path / ".build/tested/release"
        self.tests = self.built / "llaveroPackageTests.xctest"

    def unpack(self):
        """Takes the revision's files, once: its sources beside the tree, where they stay as they are."""
        if self.original.exists():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        new = self.folder / "new"
        archive = subprocess.run(["git", "-C", self.root, "archive", self.revision], check=True, stdout=subprocess.PIPE)
        for path in (self.path, new):
            path.mkdir(parents=True)
            subprocess.run(["tar", "-x", "-C", path], input=archive.stdout, check=True)
        build = self.path / ".build"
        build.mkdir()
        for name in ("venv", "sources", "extracted"):
            if (self.root / ".build" / name).exists():
                (build / name).symlink_to(self.root / ".build" / name)
        new.rename(self.original)

    def write(self, numbered):
        """Writes the sources with these changes, a dictionary from numbers to places; a file that stays keeps its time."""
        by_file = {}
        for number, place in numbered.items():
            by_file.setdefault(place.path, []).append((number, place))
        for file in self.original.joinpath("Sources").rglob("*"):
            path = str(file.relative_to(self.original))
            if file.is_dir() and not file.is_symlink():
                continue
            contents = file.read_bytes()
            if path in by_file:
                contents = _changed(contents.decode(), by_file[path]).encode()
            _write(self.path / path, contents, file.stat().st_mode)
        _write(self.path / "Sources/Bytes/Mutants.swift", _SWITCH.encode(), 0o644)

    def build(self, numbered, without):
        """Builds the programs, what the suites need beside them, and the unit tests.

        Takes out of `numbered` what can't be compiled, and calls `without` with its places; raises SystemExit if something
        else fails."""
        log = self.folder / "build.log"
        while True:
            self.write(numbered)
            with open(log, "wb") as file:
                done = subprocess.run(["bash", "-c", _BUILD, "mutants", self.path, self.prefix], stdout=file, stderr=file)
            if done.returncode == 0:
                return
            wrong = self._wrong(log.read_text(errors="replace"), numbered)
            if not wrong:
                sys.exit("mutants: the build failed: see %s" % log)
            without([numbered.pop(number) for number in wrong])

    def _wrong(self, said, numbered):
        """The numbers of the changes that the compiler complains of: those on the line, or the nearest in the file."""
        wrong = set()
        for path, line in re.findall(r"^%s/(\S+?):(\d+):\d+: error: " % re.escape(str(self.path)), said, re.MULTILINE):
            near = [(abs(place.line + 1 - int(line)), number) for number, place in numbered.items() if place.path == path]
            if near:
                wrong.add(min(near)[1])
        return wrong

    def switch(self, number):
        """Switches one change on in all that was built, or with 0 none."""
        for file in [self.prefix / program for program in _PROGRAMS] + [self.tests, *self._beside()]:
            with open(file, "r+b") as opened:
                position = _position(opened)
                opened.seek(position + len(_MARK))
                opened.write(number.to_bytes(8, "little"))

    def _beside(self):
        return [path for name in ("vault-fixture", "vault-model", "security-programs") if (path := self.built / name).exists()]


_BUILD = """
set -e
cd "$1"
export LLAVERO_TESTED_BUILD=$1/.build/tested
source integration/support/release-build.sh
"${release_build[@]}" --build-tests
integration/install --prefix "$2"
"""


def _changed(source, changes):
    lines = source.split("\n")
    for number, place in changes:
        if lines[place.line] != place.text:
            sys.exit("mutants: %s:%d isn't what it was" % (place.path, place.line + 1))
        lines[place.line] = place.changed.replace("NUMBER", str(number))
    if changes and not re.search(r"^(?:\w+ )?import Bytes$", source, re.MULTILINE):
        # Before the first line of code, so that all others stay where they are.
        first = next(index for index, line in enumerate(lines) if line and not line.startswith("//"))
        lines[first] = "import Bytes; " + lines[first]
    return "\n".join(lines)


def _write(path, contents, mode):
    if path.exists() and path.read_bytes() == contents:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
    path.chmod(mode & 0o777)


_positions = {}


def _position(opened):
    """Where the mark is in a program, which has it once."""
    if opened.name in _positions:
        opened.seek(_positions[opened.name])
        if opened.read(len(_MARK)) == _MARK:
            return _positions[opened.name]
        opened.seek(0)
    contents = opened.read()
    if contents.count(_MARK) != 1:
        sys.exit("mutants: the switch is %d times in %s" % (contents.count(_MARK), opened.name))
    _positions[opened.name] = contents.index(_MARK)
    return _positions[opened.name]
