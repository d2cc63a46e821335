"""Runs the tests that can see a change until one fails."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

# The suites whose cases depend most on a module, the quickest first. Unit tests come before them.
SUITES = {
    "Keychain": "finding changing search-list security",
    "EncryptedFile": "git-faults upgrade race damage errors killed memory slots passphrase-sources concurrency other-user sync model",
    "Age": "upgrade damage slots passphrase-sources git-shared",
    "PrivateFiles": "run changing other-user race errors killed damage unlock-cache",
    "CredentialProtocols": "docker cargo terraform goauth kubectl aws run askpass",
    "SecretService": "kwallet secret-service-faults secret-service-programs search-list changing",
    "SecretServiceProvider": "secret-service-provider secret-service-interop secret-service-conditions secret-service-forwarded",
    "Forwarding": "forwarding forwarding-tools secret-service-forwarded",
    "SignIn": "login-faults login mail github-app openbao-logins",
    "Interchange": "import import-sources import-instead export migrate",
    "Commands": "finding changing setup upgrade search-list import export run slots completion login git-shared",
}

ENDLESS = "it doesn't end"
# How long nothing may be said, in seconds: a change that makes a test go round and round is noticed.
SILENCE = 120

# Where the unit tests have their folders, and so in the arguments of the buses that they start.
_FOLDER = "llavero-mutants"
# In the environment of all else that a trial starts.
_MARK = "LLAVERO_MUTANTS=%d" % os.getpid()

_ISSUE = re.compile(r"^\W*✘ Test (?:case passing .*? to )?(.*?) (?:recorded an issue|failed after)")
_CASE = re.compile(r"^not ok - (.*) \(status ")


class Trials:
    def __init__(self, tree, state, say):
        self.tree = tree
        self.state = state
        self.say = say
        self.targets = _targets(tree.path)
        files = subprocess.run(
            ["grep", "-rl", "--include=*.swift", "processExitsWith", "Tests"],
            cwd=tree.path, check=True, stdout=subprocess.PIPE, text=True).stdout.split()  # fmt: skip
        # As in integration/test: they run apart from all others.
        self.exiting = "|".join(sorted(os.path.basename(file).removesuffix(".swift") for file in files))

    def stages(self, module):
        """The arguments of the unit tests' program, of one run after another."""
        seeing = sorted(name for name, needs in self.targets.items() if module is None or module in needs)
        own = [name for name in seeing if name == "%sTests" % module]
        others = [name for name in seeing if name not in own]
        together = "^(%s)\\."
        stages = [["--filter", together % "|".join(group), "--skip", self.exiting] for group in (own, others) if group]
        apart = "^(%s)\\..*/(%s)\\.swift" % ("|".join(seeing), self.exiting)
        return stages + [["--filter", apart]]

    def without_change(self):
        """Notes which tests fail by themselves, and how long all take."""
        self.tree.switch(0)
        start = time.monotonic()
        failing = set()
        for stage in self.stages(None):
            failing |= self._failing(self._unit_tests(stage), 3600)
        self.state["seconds"] = time.monotonic() - start
        self.state["failing"] = sorted(failing)
        self.say("without a change, %d unit tests fail; they took %d s" % (len(failing), self.state["seconds"]))

    def killer(self, number, module):
        """The first test that fails with the change, or None."""
        self.tree.switch(number)
        limit = 60 + 3 * self.state["seconds"]
        for stage in self.stages(module):
            for name in self._failing(self._unit_tests(stage), limit, self.state["failing"]):
                return "unit tests: " + name
        for suite in SUITES[module].split():
            for name in self._failing_cases(suite, number):
                return "%s: %s" % (suite, name)
        return None

    def _unit_tests(self, stage):
        # As in integration/test: they write thousands of small files, and wait for no disk.
        folder = Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else self.tree.folder) / _FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        environment = dict(
            os.environ, TMPDIR=str(folder), LLAVERO_TEST_EXECUTABLE=str(self.tree.prefix / "bin/llavero"),
            LLAVERO_TEST_PYTHON=str(self.tree.path / ".build/venv/bin/python"))  # fmt: skip
        return [str(self.tree.tests), "--testing-library", "swift-testing", *stage], environment, _ISSUE

    def _failing_cases(self, suite, number):
        if suite not in self.state["suites"]:
            self.tree.switch(0)
            self.state["suites"][suite] = sorted(self._failing(self._suite(suite), 3600))
            self.tree.switch(number)
        return self._failing(self._suite(suite), 900, self.state["suites"][suite])

    def _suite(self, suite):
        environment = dict(os.environ, PREFIX=str(self.tree.prefix), BUILD=str(self.tree.built))
        return [str(self.tree.path / "integration/test"), suite], environment, _CASE

    def _failing(self, run, limit, expected=None):
        """The tests that fail: all of them, or the first one that isn't expected to, where those are given that are."""
        command, environment, pattern = run
        found = set()
        with open(self.tree.folder / "said", "wb+") as said:
            process = subprocess.Popen(
                command, cwd=self.tree.path, env=environment | dict([_MARK.split("=")]), stdin=subprocess.DEVNULL, stdout=said,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=_limits)  # fmt: skip
            end = time.monotonic() + limit
            heard = time.monotonic()
            position = 0
            while True:
                ended = process.poll() is not None
                before = position
                position, lines = _further(said.name, position)
                if position > before:
                    heard = time.monotonic()
                failed = {match[1] for match in map(pattern.match, lines) if match}
                found |= failed.difference(expected or ())
                if ended or (found and expected is not None):
                    break
                if time.monotonic() > end or (expected is not None and time.monotonic() > heard + SILENCE):
                    found.add(ENDLESS)
                    break
                time.sleep(0.1)
            _end(process)
        if process.returncode != 0 and not found and not expected:
            if expected is None:
                # Whatever is changed, it would end so.
                sys.exit("mutants: %s ends with status %d, and no test of it fails: see %s" % (
                    command[0], process.returncode, said.name))  # fmt: skip
            found.add("it ends with status %d" % process.returncode)
        return found


def _further(path, position):
    """The lines since the position, and where they end."""
    with open(path, "rb") as file:
        file.seek(position)
        new = file.read()
    end = new.rfind(b"\n") + 1
    return position + end, new[:end].decode(errors="replace").splitlines()


def _limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))


def _end(process):
    """Ends the process and its group, and what has left the group; a suite ends whatever it has started by itself."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    # The programs can't be switched while one of them runs.
    end = time.monotonic() + 60
    while _kill_marked() and time.monotonic() < end:
        time.sleep(0.05)


def _kill_marked():
    """Whether there was a process to kill that some trial has started. Buses and keyrings have an environment of their own."""
    found = False
    for process in Path("/proc").glob("[0-9]*"):
        try:
            marked = _MARK.encode() in (process / "environ").read_bytes().split(b"\0")
            if marked or _FOLDER.encode() in (process / "cmdline").read_bytes():
                found = True
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass
    return found


def _targets(root):
    """The test targets, each with all that it depends on; those that run the programs depend on everything."""
    said = subprocess.run(["swift", "package", "dump-package"], cwd=root, check=True, stdout=subprocess.PIPE).stdout
    targets = {target["name"]: target for target in json.loads(said)["targets"]}
    needs = {}

    def needed(name):
        if name not in needs:
            needs[name] = set()
            for dependency in targets.get(name, {"dependencies": []})["dependencies"]:
                # {"byName": [NAME, CONDITION]} or {"target": [NAME, CONDITION]}
                for value in dependency.values():
                    needs[name] |= {value[0]} | needed(value[0])
        return needs[name]

    tests = {name: needed(name) for name, target in targets.items() if target["type"] == "test"}
    for name in ("CommandsTests", "SecurityTests"):
        tests[name] = set(targets)
    return tests
