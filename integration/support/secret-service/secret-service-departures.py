#!/usr/bin/env python3
"""Clients that go away, and a disk that is full: secret-service-departures.py DEMAND [ARGUMENT...]

prompt-owner-dies LOG  the keychain is locked, and the pinentry that notes in LOG hangs
full FILE              FILE takes all the room that is left where the vault is
"""

import os
import sys

import secret_service as bus


def asked(log):
    """The processes of the questions so far."""
    with open(log, encoding="utf-8") as file:
        lines = file.read().splitlines()
    started = [int(line.split()[1]) for line in lines if line.startswith("START ")]
    return started if sum(line == "GETPIN" for line in lines) == len(started) else []


def prompt(client):
    """Shows a prompt for the default collection, and doesn't wait for its answer."""
    unlocked, path = client.unlock(bus.LOGIN)
    assert not unlocked and path != "/", (unlocked, path)
    client.listen()
    client.call(path, "Prompt.Prompt", "s", "")
    return path


def is_locked():
    with bus.Client() as client:
        return client.get(bus.LOGIN, "Collection", "Locked")[1]


def prompt_owner_dies(log):
    first = bus.Client()
    prompt(first)
    bus.until(lambda: len(asked(log)) == 1, "a question")
    question = asked(log)[0]
    # Another waits for the same answer, and dies first.
    second = bus.Client()
    prompt(second)
    second.bus.close()
    with bus.Client() as client:
        service = client.process()
        assert is_locked()
    assert bus.is_running(question), "the question is gone while a client waits for it"
    first.bus.close()
    bus.until(lambda: not bus.is_running(question), "the end of the question")
    assert is_locked(), "it is unlocked without an answer"
    # The next one is asked anew, and a third's Dismiss ends that.
    with bus.Client() as client:
        path = prompt(client)
        bus.until(lambda: len(asked(log)) == 2, "a second question")
        client.call(path, "Prompt.Dismiss")
        bus.equal(client.completed(path), (True, ("ao", [])), "result")
        bus.until(lambda: not bus.is_running(asked(log)[1]), "the end of the second question")
        assert client.process() == service, "the service has been replaced"


def full(file):
    with bus.Client() as client:
        client.listen()
        path = client.create({"name": "kept"}, b"kept", "kept")
        before = client.contents()
        service = client.process()
        fill(file)
        client.signals.clear()
        messages = set()
        for change in (
            lambda: client.create({"name": "lost"}, b"l" * 60000, "lost"),
            lambda: client.create({"name": "kept"}, b"k" * 60000, "kept", replace=True),
            lambda: client.set_secret(path, b"x" * 60000),
            lambda: client.set(path, "Item", "Label", "s", "l" * 60000),
        ):
            try:
                change()
                raise AssertionError("a change is acknowledged on a full disk")
            except bus.Refused as error:
                assert error.name.startswith("org.freedesktop.DBus.Error."), error
                messages.add(str(error))
        print(*sorted(messages), sep="\n")
        assert client.contents() == before, "it shows what isn't on the disk"
        assert not client.signals, client.signals
        os.unlink(file)
        client.create({"name": "later"}, b"later", "later")
        after = client.contents()
    # What it has answered is on the disk by then.
    bus.kill(service)
    with bus.Client() as client:
        assert client.contents() == after and len(after) == len(before) + 1, "something else is on the disk"


def fill(file):
    with open(file, "wb", buffering=0) as to:
        try:
            while True:
                to.write(bytes(4096))
        except OSError:
            pass


demands = {"prompt-owner-dies": prompt_owner_dies, "full": full}
demands[sys.argv[1]](*sys.argv[2:])
