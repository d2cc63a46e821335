#!/usr/bin/env python3
"""Looks at the items of the Secret Service, or makes one.

list | count | secret PATH | create LABEL NAME=VALUE... <SECRET
"""

import sys

from secret_service import Client


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


# ReadAlias comes first: OpenSession as the first message can end gnome-keyring.
with Client() as bus:
    bus.alias("default")
    commands = {
        "list": list_items,
        "count": lambda client: print(len(paths(client))),
        "secret": lambda client, path: sys.stdout.buffer.write(client.secret(path)),
        "create": create,
    }
    commands[sys.argv[1]](bus, *sys.argv[2:])
