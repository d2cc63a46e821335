#!/usr/bin/env python3
"""Looks at the items of the Secret Service, or makes one; or fills it with what real ones have, and tells all that is in it.

list | count | secret PATH | create LABEL NAME=VALUE... <SECRET | fill PASSWORD | dump [--dates] | lock COLLECTION
"""

import base64
import json
import sys

from secret_service import API, GUILT_RIDDEN, LOGIN, ROOT, Client

WIFI = {"connection-uuid": "0f3c", "setting-name": "802-11-wireless-security", "setting-key": "psk"}
CHROME = {"xdg:schema": "chrome_libsecret_os_crypt_password_v2", "application": "chrome"}
GIT = {"xdg:schema": "org.git.Password", "user": "alice", "protocol": "https", "server": "git.example"}
KEYRING = {"service": "pypi", "username": "alice", "application": "Python keyring library"}
DOCKER = {
    "xdg:schema": "io.docker.Credentials",
    "label": "Docker Credentials",
    "server": "https://index.docker.io/v1/",
    "username": "alice",
    "docker_cli": "1",
}
# collection, label, attributes, secret
ITEMS = [
    ("login", "Chrome Safe Storage", CHROME, b"bWFzdGVy"),
    ("login", "Wi-Fi", WIFI, b"psk psk psk"),
    ("login", "nothing at all", {}, b"without attributes"),
    ("login", "", {}, b"without attributes or label"),
    ("login", "note", {"type": "note"}, b"first"),
    ("login", "note", {"type": "note"}, b"second"),
    ("login", "twice the same", {"type": "same"}, b"same"),
    ("login", "twice the same", {"type": "same"}, b"same"),
    ("login", "empty secret", {"tool": "empty"}, b""),
    ("login", "binary", {"tool": "binary"}, bytes(range(256)) + b"\0\n"),
    ("login", "marked", {"tool": "marked"}, b"abcdef\nsecret_bytes=3"),
    ("login", "empty values", {"": "", "empty": ""}, b"x"),
    ("login", "\u00e9 \u65e5\u672c", {"\u00e9": "\u65e5\u672c", "e\u0301": "other"}, b"unicode"),
    ("login", "Git: https://git.example/", GIT, b"hunter2\npassword_expiry_utc=9999999999"),
    ("login", "Git again", dict(GIT, more="1"), b"another\noddity=1"),
    ("login", "Password for 'alice' on 'pypi'", KEYRING, b"pypi"),
    ("login", "https://index.docker.io/v1/", DOCKER, b"docker"),
    ("login", "a login with a line feed at its end", {"service": "s", "username": "u", "extra": "e"}, b"end\n"),
    ("My keys", "in another collection", {"tool": "other"}, b"other"),
    ("My keys", "a login there", dict(GIT, server="other.example"), b"there"),
]


def order(path):
    collection, _, name = path.rpartition("/")
    return collection, len(name), name


def paths(client):
    return sorted({path for collection in client.collections() for path in client.items(collection)}, key=order)


def list_items(client):
    for path in paths(client):
        item = client.all(path, "Item")
        attributes = ("%s=%s" % attribute for attribute in sorted(item["Attributes"].items()))
        print(path, item["Label"], *attributes, sep="\t")


def create(client, label, *attributes):
    print(client.create(dict(pair.split("=", 1) for pair in attributes), sys.stdin.buffer.read(), label,
                        collection=client.alias("default")))  # fmt: skip


def fill(client, password):
    session = client.session()
    properties = {API + "Collection.Label": ("s", "My keys")}
    method = GUILT_RIDDEN + ".CreateWithMasterPassword"
    made = client.call(ROOT, method, "a{sv}(oayays)", properties, session.seal(password.encode()))
    for collection, label, attributes, secret in ITEMS:
        client.create(attributes, secret, label, collection=LOGIN if collection == "login" else made, session=session)
    client.call(ROOT, "Service.SetAlias", "so", "default", made)


def dump(client, *options):
    session = client.session()
    default = client.alias("default")
    for path in sorted(client.collections()):
        if path.endswith("/session"):
            continue
        collection = client.all(path, "Collection")
        lines = []
        for item_path in collection["Items"]:
            item = client.all(item_path, "Item")
            secret, kind = client.secret_and_kind(item_path, session)
            dates = [item["Created"], item["Modified"]] if "--dates" in options else []
            secret = base64.b64encode(secret).decode()
            lines.append(json.dumps([item["Label"], client.attributes(item_path), secret, kind, *dates], sort_keys=True))
        name = path.rpartition("/")[2]
        print(name, collection["Label"], "default" if path == default else "", sep="\t")
        for line in sorted(lines):
            print(name, line, sep="\t")


# ReadAlias comes first: OpenSession as the first message can end gnome-keyring.
with Client() as bus:
    bus.alias("default")
    commands = {
        "list": list_items,
        "count": lambda client: print(len(paths(client))),
        "secret": lambda client, path: sys.stdout.buffer.write(client.secret(path)),
        "create": create,
        "fill": fill,
        "dump": dump,
        "lock": lambda client, name: client.lock(ROOT + "/collection/" + name),
    }
    commands[sys.argv[1]](bus, *sys.argv[2:])
