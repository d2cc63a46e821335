#!/usr/bin/env python3
"""A client of the Secret Service that stores, reads, searches and deletes: secret-service-worker.py KIND NUMBER END
LEDGER

KIND is libsecret, secretstorage or secret-tool. END is a number of seconds, such as 60s, or of rounds. What the service
has acknowledged last is in LEDGER when it ends, as JSON: SLOT to the secret in base64, or null for what was deleted.
With the kind gets, it reads what another has written to LEDGER, END times, by libsecret.
"""

import base64
import json
import os
import random
import subprocess
import sys
import time

SLOTS = 12
SERVICE = "org.freedesktop.secrets"


class LibSecret:
    def __init__(self):
        import gi

        gi.require_version("Secret", "1")
        from gi.repository import Secret

        self.secret = Secret
        self.service = Secret.Service.get_sync(Secret.ServiceFlags.OPEN_SESSION, None)
        self.schema = Secret.Schema.new(
            "org.llavero.Stress", Secret.SchemaFlags.DONT_MATCH_NAME,
            {"stress": Secret.SchemaAttributeType.STRING, "slot": Secret.SchemaAttributeType.STRING},
        )  # fmt: skip

    def put(self, attributes, secret):
        value = self.secret.Value.new(secret.decode(), len(secret), "text/plain")
        assert self.secret.password_store_binary_sync(self.schema, attributes, None, "label", value, None)

    def get(self, attributes):
        value = self.service.lookup_sync(self.schema, attributes, None)
        return None if value is None else bytes(value.get())

    def count(self, attributes):
        return len(self.secret.password_search_sync(self.schema, attributes, self.secret.SearchFlags.ALL, None))

    def delete(self, attributes):
        return self.secret.password_clear_sync(self.schema, attributes, None)

    # The binding takes text alone.
    def bytes(self):
        return text((0, 1, 15, 16, 17, 300, 5000))


class SecretStorage:
    def __init__(self):
        import secretstorage

        connection = secretstorage.dbus_init()
        self.collection = secretstorage.get_default_collection(connection)

    def put(self, attributes, secret):
        self.collection.create_item("label", attributes, secret, replace=True)

    def get(self, attributes):
        for item in self.collection.search_items(attributes):
            return item.get_secret()

    def count(self, attributes):
        return len(list(self.collection.search_items(attributes)))

    def delete(self, attributes):
        items = list(self.collection.search_items(attributes))
        for item in items:
            item.delete()
        return bool(items)

    def bytes(self):
        return random.randbytes(random.choice((0, 1, 15, 16, 17, 300, 5000)))


class SecretTool:
    def run(self, *arguments, secret=b"", statuses=(0,)):
        result = subprocess.run(("secret-tool", *arguments), input=secret, capture_output=True)
        # A search writes the attributes there.
        assert result.returncode in statuses and (arguments[0] == "search" or not result.stderr), (arguments, result)
        return result

    def put(self, attributes, secret):
        self.run("store", "--label=label", *words(attributes), secret=secret)

    def get(self, attributes):
        result = self.run("lookup", *words(attributes), statuses=(0, 1))
        return result.stdout if result.returncode == 0 else None

    def count(self, attributes):
        return self.run("search", "--all", *words(attributes), statuses=(0, 1)).stdout.count(b"secret = ")

    def delete(self, attributes):
        return self.run("clear", *words(attributes), statuses=(0, 1)).returncode == 0

    def bytes(self):
        return text((1, 16, 300))


def text(lengths):
    return "".join(random.choices("añz \n0", k=random.choice(lengths))).encode()


def words(attributes):
    return [word for pair in attributes.items() for word in pair]


KINDS = {"libsecret": LibSecret, "secretstorage": SecretStorage, "secret-tool": SecretTool}


def work(kind, number, end, ledger):
    client = KINDS[kind]()
    acknowledged = {}
    counts = dict.fromkeys(("put", "get", "count", "delete"), 0)
    rounds = 0
    begin = time.monotonic()
    while (time.monotonic() - begin < float(end[:-1])) if end.endswith("s") else rounds < int(end):
        rounds += 1
        slot = str(random.randrange(SLOTS))
        attributes = {"stress": number, "slot": slot}
        what = random.choices(("put", "get", "count", "delete"), (5, 5, 1, 1))[0]
        counts[what] += 1
        if what == "put":
            secret = client.bytes()
            client.put(attributes, secret)
            acknowledged[slot] = secret
        elif what == "get":
            found = client.get(attributes)
            assert found == acknowledged.get(slot), (kind, number, slot, found, acknowledged.get(slot))
        elif what == "count":
            found = client.count({"stress": number})
            expected = sum(secret is not None for secret in acknowledged.values())
            assert found == expected, (kind, number, "found", found, "of", expected)
        else:
            client.delete(attributes)
            acknowledged[slot] = None
    with open(ledger, "w", encoding="utf-8") as file:
        json.dump({"number": number, "counts": counts, "slots": {
            slot: None if secret is None else base64.b64encode(secret).decode() for slot, secret in acknowledged.items()
        }}, file)  # fmt: skip


def gets(times, ledger):
    client = LibSecret()
    with open(ledger, encoding="utf-8") as file:
        known = json.load(file)
    slots = [(slot, base64.b64decode(secret)) for slot, secret in known["slots"].items() if secret is not None]
    for turn in range(int(times)):
        slot, secret = slots[turn % len(slots)]
        found = client.get({"stress": known["number"], "slot": slot})
        assert found == secret, (slot, found, secret)


kind, number, end, ledger = sys.argv[1:]
if kind == "gets":
    gets(end, ledger)
else:
    work(kind, number, end, ledger)
