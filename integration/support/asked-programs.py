"""A program that wants more than it may have, of a service that asks about programs: one function for each way to try."""

import pathlib
import runpy
import subprocess
import sys

demands = runpy.run_path(str(pathlib.Path(__file__).parent / "secret-service-demands.py"))
Client, Refused, equal = demands["Client"], demands["Refused"], demands["equal"]
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
        waits_in_its_own_item(server, password)


def waits_in_its_own_item(server, password):
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
        _, [item] = client.call(demands["ROOT"], "Service.SearchItems", "a{ss}", {"place": server})
        equal(client.secret(item), b"harmless")
        client.set(item, "Item", "Attributes", "a{ss}", {**NETWORK, "server": server})
        equal(person_stores(server, password).wait(), 0)
        for other in (client, Client()):
            equal(secret_of(other, item, other.session()), None)


globals()[sys.argv[1]](*sys.argv[2:])
