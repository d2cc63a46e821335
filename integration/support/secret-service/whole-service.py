#!/usr/bin/env python3
"""Fills a Secret Service with what real ones have, and tells everything that is in one.

fill PASSWORD | make LABEL | dump | lock COLLECTION
"""

import base64
import json
import sys

from jeepney import DBusAddress, MessageType, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
GUILT = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

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


def at(path, interface):
    if "." not in interface:
        interface = "org.freedesktop.Secret." + interface
    return DBusAddress(path, bus_name=NAME, interface=interface)


def ask(connection, message):
    reply = connection.send_and_get_reply(message, timeout=60)
    if reply.header.message_type == MessageType.error:
        sys.exit("%s: %s" % (reply.header.fields, reply.body))
    return reply.body


def call(connection, address, method, signature=None, body=()):
    return ask(connection, new_method_call(address, method, signature, body))


def properties(connection, address):
    return {name: value for name, (_, value) in ask(connection, Properties(address).get_all())[0].items()}


def open_session(connection):
    return call(connection, at(ROOT, "Service"), "OpenSession", "sv", ("plain", ("s", "")))[1]


def fill(connection, password):
    session = open_session(connection)
    paths = {"login": ROOT + "/collection/login"}
    for label in sorted({item[0] for item in ITEMS} - {"login"}):
        label_property = {"org.freedesktop.Secret.Collection.Label": ("s", label)}
        secret = (session, b"", password.encode(), "text/plain")
        body = (label_property, secret)
        paths[label] = call(connection, at(ROOT, GUILT), "CreateWithMasterPassword", "a{sv}(oayays)", body)[0]
    for collection, label, attributes, secret in ITEMS:
        values = {
            "org.freedesktop.Secret.Item.Label": ("s", label),
            "org.freedesktop.Secret.Item.Attributes": ("a{ss}", attributes),
        }
        body = (values, (session, b"", secret, "text/plain"), False)
        call(connection, at(paths[collection], "Collection"), "CreateItem", "a{sv}(oayays)b", body)
    for label, path in paths.items():
        if label != "login":
            call(connection, at(ROOT, "Service"), "SetAlias", "so", ("default", path))


def make(connection, label):
    """Makes a collection with an item, where no prompt is needed for that."""
    values = {"org.freedesktop.Secret.Collection.Label": ("s", label)}
    path = call(connection, at(ROOT, "Service"), "CreateCollection", "a{sv}s", (values, ""))[0]
    values = {
        "org.freedesktop.Secret.Item.Label": ("s", "in " + label),
        "org.freedesktop.Secret.Item.Attributes": ("a{ss}", {"tool": label}),
    }
    body = (values, (open_session(connection), b"", b"secret", "text/plain"), False)
    call(connection, at(path, "Collection"), "CreateItem", "a{sv}(oayays)b", body)


def dump(connection):
    session = open_session(connection)
    default = call(connection, at(ROOT, "Service"), "ReadAlias", "s", ("default",))[0]
    for path in sorted(properties(connection, at(ROOT, "Service"))["Collections"]):
        if path.endswith("/session"):
            continue
        collection = properties(connection, at(path, "Collection"))
        lines = []
        for item_path in collection["Items"]:
            item = properties(connection, at(item_path, "Item"))
            attributes = item["Attributes"]
            if attributes.get("xdg:schema") == "org.freedesktop.Secret.Generic":
                del attributes["xdg:schema"]
            _, _, secret, kind = call(connection, at(item_path, "Item"), "GetSecret", "o", (session,))[0]
            dates = [item["Created"], item["Modified"]] if "--dates" in sys.argv else []
            secret = base64.b64encode(bytes(secret)).decode()
            lines.append(json.dumps([item["Label"], attributes, secret, kind, *dates], sort_keys=True))
        name = path.rpartition("/")[2]
        print(name, collection["Label"], "default" if path == default else "", sep="\t")
        for line in sorted(lines):
            print(name, line, sep="\t")


def lock(connection, collection):
    call(connection, at(ROOT, "Service"), "Lock", "ao", ([ROOT + "/collection/" + collection],))


# ReadAlias comes first: OpenSession as the first message can end gnome-keyring.
with open_dbus_connection("SESSION") as bus:
    call(bus, at(ROOT, "Service"), "ReadAlias", "s", ("default",))
    {
        "fill": lambda: fill(bus, sys.argv[2]),
        "make": lambda: make(bus, sys.argv[2]),
        "dump": lambda: dump(bus),
        "lock": lambda: lock(bus, sys.argv[2]),
    }[sys.argv[1]]()
