#!/usr/bin/env python3
"""Fills a Secret Service with what real ones have, and tells everything that is in one.

fill PASSWORD | make LABEL | dump | lock COLLECTION
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


def fill(client, password):
    session = client.session()
    paths = {"login": LOGIN}
    for label in sorted({item[0] for item in ITEMS} - {"login"}):
        properties = {API + "Collection.Label": ("s", label)}
        method = GUILT_RIDDEN + ".CreateWithMasterPassword"
        paths[label] = client.call(ROOT, method, "a{sv}(oayays)", properties, session.seal(password.encode()))
    for collection, label, attributes, secret in ITEMS:
        client.create(attributes, secret, label, collection=paths[collection], session=session)
    for label, path in paths.items():
        if label != "login":
            client.call(ROOT, "Service.SetAlias", "so", "default", path)


def make(client, label):
    """Makes a collection with an item, where no prompt is needed for that."""
    client.create({"tool": label}, b"secret", "in " + label, collection=client.create_collection(label))


def dump(client):
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
            dates = [item["Created"], item["Modified"]] if "--dates" in sys.argv else []
            secret = base64.b64encode(secret).decode()
            lines.append(json.dumps([item["Label"], client.attributes(item_path), secret, kind, *dates], sort_keys=True))
        name = path.rpartition("/")[2]
        print(name, collection["Label"], "default" if path == default else "", sep="\t")
        for line in sorted(lines):
            print(name, line, sep="\t")


# ReadAlias comes first: OpenSession as the first message can end gnome-keyring.
with Client() as bus:
    bus.alias("default")
    {
        "fill": lambda: fill(bus, sys.argv[2]),
        "make": lambda: make(bus, sys.argv[2]),
        "dump": lambda: dump(bus),
        "lock": lambda: bus.lock(ROOT + "/collection/" + sys.argv[2]),
    }[sys.argv[1]]()
