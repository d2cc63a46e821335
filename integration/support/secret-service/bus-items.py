#!/usr/bin/env python3
"""Looks at the items of the Secret Service, or makes one.

list | count | secrets | secret PATH | create LABEL NAME=VALUE... <SECRET
"""

import sys

from jeepney import DBusAddress, MessageType, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"


def at(path, interface):
    return DBusAddress(path, bus_name=NAME, interface="org.freedesktop.Secret." + interface)


def ask(connection, message):
    reply = connection.send_and_get_reply(message, timeout=60)
    if reply.header.message_type == MessageType.error:
        sys.exit("%s: %s" % (reply.header.fields, reply.body))
    return reply.body


def properties(connection, address):
    return {name: value for name, (_, value) in ask(connection, Properties(address).get_all())[0].items()}


def call(connection, address, method, signature=None, body=()):
    return ask(connection, new_method_call(address, method, signature, body))


def open_session(connection):
    return call(connection, at(ROOT, "Service"), "OpenSession", "sv", ("plain", ("s", "")))[1]


def order(path):
    collection, _, name = path.rpartition("/")
    return collection, len(name), name


def item_paths(connection):
    paths = set()
    for collection in properties(connection, at(ROOT, "Service"))["Collections"]:
        paths.update(properties(connection, at(collection, "Collection"))["Items"])
    return sorted(paths, key=order)


def count_items(connection):
    print(len(item_paths(connection)))


def list_items(connection):
    for path in item_paths(connection):
        item = properties(connection, at(path, "Item"))
        attributes = ("%s=%s" % attribute for attribute in sorted(item["Attributes"].items()))
        print(path, item["Label"], *attributes, sep="\t")


def secret_of(connection, path, session):
    return bytes(call(connection, at(path, "Item"), "GetSecret", "o", (session,))[0][2])


def list_secrets(connection):
    session = open_session(connection)
    for path in item_paths(connection):
        print(path, secret_of(connection, path, session).decode(), sep="\t")


def write_secret(connection, path):
    sys.stdout.buffer.write(secret_of(connection, path, open_session(connection)))


def create_item(connection, label, *attributes):
    values = {
        "org.freedesktop.Secret.Item.Label": ("s", label),
        "org.freedesktop.Secret.Item.Attributes": ("a{ss}", dict(pair.split("=", 1) for pair in attributes)),
    }
    collection = call(connection, at(ROOT, "Service"), "ReadAlias", "s", ("default",))[0]
    secret = (open_session(connection), b"", sys.stdin.buffer.read(), "text/plain")
    body = (values, secret, False)
    item, prompt = call(connection, at(collection, "Collection"), "CreateItem", "a{sv}(oayays)b", body)
    if item == "/":
        sys.exit("the service asks for a prompt: " + prompt)
    print(item)


# ReadAlias comes first: OpenSession as the first message can end gnome-keyring.
with open_dbus_connection("SESSION") as bus:
    call(bus, at(ROOT, "Service"), "ReadAlias", "s", ("default",))
    commands = {
        "list": list_items,
        "count": count_items,
        "secrets": list_secrets,
        "secret": write_secret,
        "create": create_item,
    }
    commands[sys.argv[1]](bus, *sys.argv[2:])
