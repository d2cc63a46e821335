"""A program that wants more than it may have, of a service that asks about programs: one function for each way to try."""

import os
import shutil
import subprocess
import sys

from secret_service import *

NETWORK = {"xdg:schema": "org.gnome.keyring.NetworkPassword", "protocol": "https", "user": "alice"}


def secret_of(client, item, session):
    """The secret; `None` if it is refused."""
    try:
        return client.secret(item, session)
    except Refused as error:
        equal(error.name, "org.freedesktop.DBus.Error.AccessDenied")
        return None


def person_stores(server, password):
    tool = subprocess.Popen(["git-credential-llavero", "store"], stdin=subprocess.PIPE)
    tool.stdin.write(f"protocol=https\nhost={server}\nusername=alice\npassword={password}\n".encode())
    tool.stdin.close()
    return tool


def waits_in_its_own_items(password):
    """Reads what it has stored itself again and again, while a person's own tool stores something else there."""
    for server in ("one.example", "two.example", "three.example", "four.example", "five.example"):
        with Client() as client:
            item = client.create({**NETWORK, "server": server}, b"trap", replace=True)
            session = client.session()
            tool = person_stores(server, password)
            while (secret := secret_of(client, item, session)) is not None:
                equal(secret, b"trap")
            equal(tool.wait(), 0)


def makes_another_login(server, password):
    """Has been allowed a harmless item, and makes another login of it, in which a person's own tool stores something."""
    with Client() as client:
        [item] = found(client, place=server)
        equal(client.secret(item), b"harmless")
        client.set(item, "Item", "Attributes", "a{ss}", {**NETWORK, "server": server})
        equal(person_stores(server, password).wait(), 0)
        for other in (client, Client()):
            equal(secret_of(other, item, other.session()), None)


def begins_to_read(client, item):
    """Asks for a secret without waiting for it; a function that waits, and gives the name of the error, or nothing."""
    serial = client.begin(client.message(item, "Item.GetSecret", "o", client.session().path))

    def ending():
        try:
            client.answer(serial)
        except Refused as error:
            return error.name
        return None

    return ending


def found(client, **attributes):
    """All that has these attributes, and may not be used yet."""
    return client.call(ROOT, "Service.SearchItems", "a{ss}", attributes)[1]


def wait_for_questions(number):
    """Until somebody has been asked so often."""
    until(lambda: asked() >= number, "a question", 10)
    equal(asked(), number)


def asked():
    return len(open("asked").readlines())


def waits_for_a_lock():
    """Two connections wait for a person when the keychain is locked."""
    with Client() as one, Client() as other:
        endings = [begins_to_read(client, item) for client, item in zip((one, other), found(one, kind="mine"))]
        wait_for_questions(1)
        subprocess.run(["llavero", "lock"], check=True)
        equal([ending() for ending in endings], ["org.freedesktop.Secret.Error.IsLocked"] * 2)
        wait_for_the_end_of_questions()
        wait_for_questions(1)


def dismisses_its_prompt():
    with Client() as client:
        [item] = found(client, kind="mine")
        _, prompt = client.unlock(item)
        client.send(message_bus.AddMatch(MatchRule(type="signal", path=prompt)))
        client.call(prompt, "Prompt.Prompt", "s", "")
        wait_for_questions(1)
        client.call(prompt, "Prompt.Dismiss")
        dismissed, (_, paths) = client.completed(prompt)
        equal((dismissed, paths), (True, []))
        # It stays so, and nobody is asked any more.
        wait_for_the_end_of_questions()
        client.alias("default")
        equal([signal.member for signal in client.signals].count("Completed"), 1)


def closes_its_request():
    reading, writing = os.pipe()
    with Portal() as portal:
        serial, handle = portal.ask("org.example.Mine", writing)
        os.close(writing)
        wait_for_questions(2)
        portal.call(handle, "org.freedesktop.impl.portal.Request.Close")
        equal(portal.answer(serial), [1, {}])
        wait_for_the_end_of_questions()
        with open(reading, "rb") as file:
            equal(file.read(), b"")


def wait_for_the_end_of_questions():
    """Until the service has no program running that asks."""
    service = os.environ["SERVICE"]
    until(lambda: not open(f"/proc/{service}/task/{service}/children").read(), "the end of the questions", 10)


def another_program(name):
    """The same interpreter in another file."""
    shutil.copy(os.path.realpath(sys.executable), name)
    folders = [path for path in sys.path if path.endswith("-packages")]
    return [f"./{name}", __file__], {**os.environ, "PYTHONHOME": sys.base_prefix, "PYTHONPATH": ":".join(folders)}


def reads(item):
    with Client() as client:
        ending = begins_to_read(client, item)
        # The calls of a connection are handled one after the other.
        client.alias("default")
        print("waits", flush=True)
        equal(ending(), None)


def wants_two_before_another_wants_one():
    with Client() as client:
        items = found(client, kind="mine")
        names = [client.get(item, "Item", "Label")[1] for item in items]
        endings = [begins_to_read(client, item) for item in items[:2]]
        wait_for_questions(1)
        command, environment = another_program("another")
        with subprocess.Popen([*command, "reads", items[2]], env=environment, stdout=subprocess.PIPE) as another:
            equal(another.stdout.readline(), b"waits\n")
            open("go", "w").close()
            equal([ending() for ending in endings], [None, None])
        equal(another.returncode, 0)
        asked = [next(name for name in names if f'"{name}"' in line) for line in open("asked")]
        equal(asked, [names[0], names[2], names[1]])


def cannot_be_told():
    """Nobody sees which file it runs, and it comes again and again."""
    command, environment = another_program("gone")
    subprocess.run([*command, "leaves_no_file"], env=environment, check=True)


def leaves_no_file():
    os.remove("gone")
    for _ in range(3):
        with Client() as client:
            [item] = found(client, kind="mine")
            equal(secret_of(client, item, client.session()), None)


globals()[sys.argv[1]](*sys.argv[2:])
