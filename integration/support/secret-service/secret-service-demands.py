#!/usr/bin/env python3
"""Demands on a Secret Service, each seen over the bus: secret-service-demands.py [OPTION...] [GROUP | NAME]...

Its default collection has to be unlocked. For each demand there is a line: `ok NAME`, `not ok NAME: WHY`, or
`skipped NAME: WHY` where the service that is named doesn't claim to meet it. The status is 1 if one isn't met.

--provider NAME  the service, such as gnome-keyring; what it is known not to meet is skipped
--state FILE     where the group `keeps` notes what the group `kept` compares, after the service was started again
--password TEXT  unlocks the default collection, for the groups `locked` and `asked`
--answers DIR    where whoever the service asks for the password waits for answers, for the group `asked`
"""

import argparse
import contextlib
import json
import os
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from secret_service import *

UNKNOWN = ROOT + "/collection/no_such_collection"
IS_LONG = bool(os.environ.get("LLAVERO_TEST_LONG"))
# llavero's bound
LARGEST_SECRET = 1 << 20


# --- the demands

GROUPS = {}


def group(name, is_long=False, **not_for):
    """Adds a function to a group of demands; `not_for` tells why a service, with `_` for `-`, is known not to meet it. A long
    one is skipped without LLAVERO_TEST_LONG=1."""

    def add(function):
        function.title = function.__name__.replace("_", "-")
        function.is_long = is_long
        function.not_for = {provider.replace("_", "-"): reason for provider, reason in not_for.items()}
        GROUPS.setdefault(name, []).append(function)
        return function

    return add


def mine(text, **more):
    """Attributes that no other demand uses."""
    return {"demand": text, **more}


# objects, members and properties

METHODS = {
    "Service": {
        "OpenSession": ("sv", "vo"),
        "CreateCollection": ("a{sv}s", "oo"),
        "SearchItems": ("a{ss}", "aoao"),
        "Unlock": ("ao", "aoo"),
        "Lock": ("ao", "aoo"),
        "GetSecrets": ("aoo", "a{o(oayays)}"),
        "ReadAlias": ("s", "o"),
        "SetAlias": ("so", ""),
    },
    "Collection": {"Delete": ("", "o"), "SearchItems": ("a{ss}", "ao"), "CreateItem": ("a{sv}(oayays)b", "oo")},
    "Item": {"Delete": ("", "o"), "GetSecret": ("o", "(oayays)"), "SetSecret": ("(oayays)", "")},
    "Session": {"Close": ("", "")},
    "Prompt": {"Prompt": ("s", ""), "Dismiss": ("", "")},
}
SIGNALS = {
    "Service": {"CollectionCreated": "o", "CollectionDeleted": "o", "CollectionChanged": "o"},
    "Collection": {"ItemCreated": "o", "ItemDeleted": "o", "ItemChanged": "o"},
    "Prompt": {"Completed": "bv"},
}
PROPERTY_TYPES = {
    "Service": {"Collections": ("ao", "read")},
    "Collection": {
        "Items": ("ao", "read"),
        "Label": ("s", "readwrite"),
        "Locked": ("b", "read"),
        "Created": ("t", "read"),
        "Modified": ("t", "read"),
    },
    "Item": {
        "Locked": ("b", "read"),
        "Attributes": ("a{ss}", "readwrite"),
        "Label": ("s", "readwrite"),
        "Type": ("s", "readwrite"),
        "Created": ("t", "read"),
        "Modified": ("t", "read"),
    },
}


def described_as_demanded(client, path, name):
    node = client.introspect(path)
    interface = node.find(f"interface[@name='{API}{name}']")
    demand(interface is not None, path, "has no interface", name)
    for method, signatures in METHODS[name].items():
        element = interface.find(f"method[@name='{method}']")
        demand(element is not None, name, "has no method", method)
        arguments = [(each.get("direction", "in"), each.get("type")) for each in element.iter("arg")]
        found = tuple("".join(kind for way, kind in arguments if way == wanted) for wanted in ("in", "out"))
        equal(found, signatures, f"{name}.{method}")
    for signal, signature in SIGNALS.get(name, {}).items():
        element = interface.find(f"signal[@name='{signal}']")
        demand(element is not None, name, "has no signal", signal)
        equal("".join(each.get("type") for each in element.iter("arg")), signature, f"{name}.{signal}")
    for title, (kind, access) in PROPERTY_TYPES.get(name, {}).items():
        element = interface.find(f"property[@name='{title}']")
        demand(element is not None, name, "has no property", title)
        equal((element.get("type"), element.get("access")), (kind, access), f"{name}.{title}")


def objects(client):
    """One of each kind, and the names of their interfaces."""
    collections = [(path, "Collection") for path in (client.alias("default"), DEFAULT, client.alias("session"))]
    return [(ROOT, "Service"), *collections, (client.create(mine("objects")), "Item"), (client.session().path, "Session")]


@group("members")
def objects_are_described(client):
    """And GetAll has all properties with their types, and Get answers the same."""
    for path, interface in objects(client):
        described_as_demanded(client, path, interface)
        everything = client.all_typed(path, interface)
        if interface == "Session":
            equal(everything, {})
        for name, (kind, _) in PROPERTY_TYPES.get(interface, {}).items():
            demand(name in everything, "GetAll lacks", name)
            equal(everything[name][0], kind, "type of " + name)
            equal(client.get(path, interface, name), everything[name], name)


@group("members", gnome_keyring="it says InvalidArgs and UnknownMethod")
def unknown_interfaces(client):
    item = client.create(mine("interface"))
    paths = (ROOT, DEFAULT, client.alias("session"), item, client.session().path, ROOT + "/collection")
    for path in paths:
        for interface in ("org.example.Other", API + "NoSuch"):
            for method, signature, *body in (
                (PROPERTIES + ".Get", "ss", interface, "Label"),
                (PROPERTIES + ".GetAll", "s", interface),
                (PROPERTIES + ".Set", "ssv", interface, "Label", ("s", "x")),
                (interface + ".Method", None),
            ):
                with refused({ERROR + "UnknownInterface"}, f"{method} of {interface} at {path}"):
                    client.call(path, method, signature, *body)
    # Another object's.
    for path, interface in ((ROOT, "Item"), (DEFAULT, "Service"), (item, "Collection")):
        with refused({ERROR + "UnknownInterface"}, f"{interface} at {path}"):
            client.call(path, PROPERTIES + ".GetAll", "s", API + interface)
        with refused({ERROR + "UnknownInterface"}, f"a method of {interface} at {path}"):
            client.call(path, interface + ".Delete")
    # Those that each object has, and that have no properties.
    for interface in (PROPERTIES, "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer"):
        for path in paths:
            equal(client.call(path, PROPERTIES + ".GetAll", "s", interface), {}, interface)


@group("members")
def properties_of_all_interfaces(client):
    """Some bindings ask for the properties of an interface without a name."""
    item = client.create(mine("all-interfaces"))
    try:
        found = client.call(item, PROPERTIES + ".GetAll", "s", "")
    except Refused as error:
        equal(error.name in INVALID | {ERROR + "UnknownInterface"}, True, str(error))
        return
    demand(not found or "Label" in found, found)


@group("members")
def read_only_properties(client):
    item = client.create(mine("read-only"))
    before = client.all(item, "Item")
    for interface, path in (("Service", ROOT), ("Collection", DEFAULT), ("Item", item)):
        for name, (kind, access) in PROPERTY_TYPES[interface].items():
            if access != "read":
                continue
            for each, value in ((kind, {"b": True, "t": 1, "ao": []}[kind]), ("s", "another type")):
                with refused(INVALID | {ERROR + "PropertyReadOnly"}, f"{interface}.{name}"):
                    client.set(path, interface, name, each, value)
    after = client.all(item, "Item")
    for name in ("Locked", "Created", "Modified"):
        equal(after[name], before[name], name)


@group("members")
def unknown_members(client):
    item = client.create(mine("unknown"))
    for interface, path in (("Service", ROOT), ("Collection", DEFAULT), ("Item", item)):
        for access in (client.get, lambda *to: client.set(*to, "s", "")):
            with refused(INVALID | {ERROR + "UnknownProperty"}, "a property that isn't there"):
                access(path, interface, "NoSuchProperty")
    for path, interface in ((ROOT, "Service"), (DEFAULT, "Collection"), (item, "Item"), (item, "Collection")):
        with refused({ERROR + "UnknownMethod", ERROR + "UnknownInterface"}, "a method that isn't there"):
            client.call(path, interface + ".NoSuchMethod")


@group("members")
def arguments_of_other_types(client):
    item = client.create(mine("types"))
    session = client.session()
    for path, method, signature, *body in (
        (ROOT, "Service.OpenSession", "s", PLAIN),
        (ROOT, "Service.SearchItems", "a{sv}", {"a": ("s", "b")}),
        (ROOT, "Service.SearchItems", None),
        (ROOT, "Service.Unlock", "as", [DEFAULT]),
        (ROOT, "Service.GetSecrets", "ao", [item]),
        (ROOT, "Service.ReadAlias", "o", DEFAULT),
        (DEFAULT, "Collection.CreateItem", "a{ss}(oayays)b", {}, session.seal(b""), False),
        (DEFAULT, "Collection.CreateItem", "a{sv}(oayay)b", {}, (session.path, b"", b""), False),
        (item, "Item.GetSecret", "s", session.path),
        (item, "Item.SetSecret", "(oayay)", (session.path, b"", b"")),
        (item, "Item.SetSecret", "oayays", session.path, b"", b"", "text/plain"),
    ):
        with refused(INVALID | {ERROR + "UnknownMethod"}, f"{method} with {signature}"):
            client.call(path, method, signature, *body)
    equal(client.secret(item), b"secret")


@group("members")
def interface_for_passwords(client):
    """gnome-keyring's, with which scripts unlock a keyring without a display: it takes no session that isn't there."""
    secret = (ROOT + "/session/none", b"", b"", "text/plain")
    try:
        client.call(ROOT, GUILT_RIDDEN + ".UnlockWithMasterPassword", "o(oayays)", client.alias("default"), secret)
    except Refused as error:
        demand(error.name not in {ERROR + "UnknownMethod", ERROR + "UnknownInterface"}, error)
    else:
        raise Unmet("it is taken")


@group("members", gnome_keyring="each of its collections has a password")
def collections_have_no_passwords(client):
    """There is one for the keychain, and nothing is made or changed where another is given."""
    path, before = client.alias("default"), client.collections()
    session = client.session(ENCRYPTED)
    old, new = session.seal(b"old password"), session.seal(b"new password")
    for method, signature, *body in (
        ("CreateWithMasterPassword", "a{sv}(oayays)", {API + "Collection.Label": ("s", "with a password")}, new),
        ("ChangeWithMasterPassword", "o(oayays)(oayays)", path, old, new),
        ("ChangeWithPrompt", "o", path),
    ):
        with refused(NOT_SUPPORTED, method):
            client.call(ROOT, f"{GUILT_RIDDEN}.{method}", signature, *body)
    with refused(NOT_SUPPORTED, "ChangeLock"):
        client.call(ROOT, "Service.ChangeLock", "o", path)
    equal(client.collections(), before)


# paths

UNKNOWN_ITEM = DEFAULT + "/no_such_item"
PATHS_THAT_ARE_NONE = (UNKNOWN, UNKNOWN + "/1", ROOT + "/aliases/no_such_alias", ROOT + "/aliases/no_such_alias/1")


def by_alias(item):
    return DEFAULT + "/" + item.rpartition("/")[2]


@group("paths")
def item_is_below_its_collection(client):
    for alias in ("default", "session"):
        collection = client.alias(alias)
        item = client.create(mine("below"), collection=collection)
        demand(item.startswith(collection + "/") and "/" not in item[len(collection) + 1 :], item)


@group("paths")
def item_below_alias(client):
    """A collection, and an item in it, can be called by the collection's alias."""
    path = client.alias("default")
    item = client.create(mine("below-alias"))
    other = by_alias(item)
    equal(client.all(DEFAULT, "Collection"), client.all(path, "Collection"))
    equal([by_alias(each) for each in client.found_in(DEFAULT, mine("below-alias"))], [other])
    equal(client.found_in(path, mine("below-alias")), [item])
    equal(client.unlock(other, item), [[other, item], "/"], "Unlock of both")
    equal(set(client.all(other, "Item")), set(client.all(item, "Item")), "properties")
    equal(client.attributes(other), mine("below-alias"))
    equal(client.secret(other), b"secret")
    client.set_secret(other, b"changed")
    equal(client.secret(item), b"changed")
    client.set(other, "Item", "Label", "s", "changed")
    equal(client.get(item, "Item", "Label"), ("s", "changed"))
    client.delete(other)
    demand(item not in client.items(), "the item is still there")


@group("paths", gnome_keyring="it leaves them out")
def secrets_of_items_below_alias(client):
    item = client.create(mine("echoed"))
    equal(client.secrets([by_alias(item), item]), {by_alias(item): b"secret", item: b"secret"}, "GetSecrets of both")


@group("paths")
def nothing_at_unknown_paths(client):
    """Nor is anything made there: libsecret makes a collection when the alias has none, and tells that by these errors."""
    session = client.session()
    before = client.collections()
    for path in (UNKNOWN_ITEM, *PATHS_THAT_ARE_NONE):
        with refused(NO_OBJECT | INVALID | {ERROR + "UnknownInterface"}, "GetAll " + path):
            client.all(path, "Item" if path[-1] in "1m" else "Collection")
        with refused(NO_OBJECT, "GetSecret " + path):
            client.call(path, "Item.GetSecret", "o", session.path)
        with refused(NO_OBJECT, "Delete " + path):
            client.call(path, "Item.Delete")
    for path in (UNKNOWN, ROOT + "/aliases/no_such_alias"):
        with refused(NO_OBJECT, "CreateItem " + path):
            client.create(mine("nowhere"), collection=path)
        with refused(NO_OBJECT, "SearchItems " + path):
            client.found_in(path, {})
    equal((client.found(mine("nowhere")), client.collections()), ([], before))


@group("paths")
def deleted_item_is_unknown(client):
    item = client.create(mine("deleted"))
    client.delete(item)
    session = client.session()
    for name, what in {
        "GetSecret": lambda: client.call(item, "Item.GetSecret", "o", session.path),
        "SetSecret": lambda: client.set_secret(item, b"x", session),
        "Delete": lambda: client.delete(item),
    }.items():
        with refused(NO_OBJECT, name):
            what()
    with refused(NO_OBJECT | INVALID | {ERROR + "UnknownInterface"}, "GetAll"):
        client.all(item, "Item")
    demand(item not in client.items(), "still among Items")
    equal(client.found(mine("deleted")), [])
    equal(client.secrets([item]), {})
    used = {item}
    for _ in range(4):
        again = client.create(mine("deleted"))
        demand(again not in used, again, "came back")
        used.add(again)
        client.delete(again)


# aliases


@group("aliases")
def known_aliases(client):
    collections = client.collections()
    for name in ("default", "login", "session"):
        demand(client.alias(name) in collections, name, client.alias(name))
    equal(client.get(DEFAULT, "Collection", "Label"), ("s", "Login"))
    demand(client.alias("session") != client.alias("default"), "it is the default one")


@group("aliases")
def other_aliases(client):
    """There are none, and none can be set."""
    path = client.alias("default")
    for name in ("no_such_alias", "", "a/b", "ä", "x" * 1000):
        equal(client.alias(name), "/", repr(name))
        with refused(NOT_SUPPORTED, repr(name)):
            client.call(ROOT, "Service.SetAlias", "so", name, path)
        equal(client.alias(name), "/", repr(name))
    for name in ("login", "session"):
        before = client.alias(name)
        with refused(NOT_SUPPORTED, repr(name)):
            client.call(ROOT, "Service.SetAlias", "so", name, path)
        equal(client.alias(name), before, repr(name))
    with refused(NO_OBJECT | INVALID, "an unknown collection"):
        client.call(ROOT, "Service.SetAlias", "so", "default", UNKNOWN)
    equal(client.alias("default"), path)


@group("aliases")
def default_can_be_another(client):
    before = client.alias("default")
    other = client.create_collection("another default")
    client.listen()
    try:
        client.call(ROOT, "Service.SetAlias", "so", "default", other)
        equal(client.alias("default"), other)
        equal(client.get(DEFAULT, "Collection", "Label"), ("s", "another default"))
        item = client.create(mine("another-default"))
        demand(item in client.items(other), item)
    finally:
        client.call(ROOT, "Service.SetAlias", "so", "default", before)
    equal(client.alias("default"), before)
    demand(not any("Collection" in each for each in client.described()), "signals:", client.described())
    client.delete_collection(other)


# searching


@group("search")
def subset_is_found(client):
    one = client.create({"demand": "subset", "a": "1", "b": "2"})
    two = client.create({"demand": "subset", "a": "1", "xdg:schema": "org.example.Two"})
    for attributes, expected in (
        ({"demand": "subset"}, {one, two}),
        ({"demand": "subset", "a": "1"}, {one, two}),
        ({"demand": "subset", "a": "1", "b": "2"}, {one}),
        ({"demand": "subset", "xdg:schema": "org.example.Two"}, {two}),
        ({"demand": "subset", "xdg:schema": "org.example.One"}, set()),
        ({"demand": "subset", "a": "1", "b": "2", "xdg:schema": "org.example.Two"}, set()),
        ({"demand": "subset", "d": ""}, set()),
        ({"demand": "subset", "a": ""}, set()),
        ({"demand": "subset", "a": "11"}, set()),
        ({"demand": "subset", "A": "1"}, set()),
        ({"demand": "subse", "a": "1"}, set()),
    ):
        for found in (client.found(attributes), client.found_in(client.alias("default"), attributes)):
            equal(set(found), expected, str(attributes))
            equal(len(found), len(expected), str(attributes))


@group("search")
def collection_finds_its_own(client):
    path = client.alias("default")
    one = client.create(mine("own"))
    two = client.create(mine("own"), collection=SESSION)
    three = client.create({})
    equal(client.found_in(path, mine("own")), [one])
    equal(client.found_in(SESSION, mine("own")), [two])
    equal(set(client.found(mine("own"))), {one, two})
    # What asks for nothing finds all.
    found = client.found({})
    demand({one, two, three} <= set(found), "not all")
    equal(len(found), len(set(found)), "items")
    equal(set(client.found_in(path, {})), set(client.items()))


@group("search", gnome_keyring="it invents the generic schema when it reads its file, and not before")
def no_schema_is_the_generic_one(client):
    """libsecret's clients without a schema ask for it by this name."""
    item = client.create(mine("generic"))
    equal(client.found({"xdg:schema": GENERIC, **mine("generic")}), [item])


# items

ODD_ATTRIBUTES = {
    "": "no name",
    "empty": "",
    "a=b": "c=d",
    "line": "one\ntwo\r\nthree",
    "spaces": "  both sides ",
    "umlaut": "ä",
    "same umlaut": "a\u0308",
    "ключ": "значение 🔑",
    "control": "\x01\x1b[31m\x7f",
    "xdg:schema": "org.example.Odd",
    "protocol": "https",
    "server": "example.com",
    "port": "not a number",
    "long": "x" * 4000,
}
EVERY_BYTE = bytes(range(256))
ODD_SECRETS = {
    "empty": b"",
    "a NUL": b"\0",
    "NULs": b"a\0b\0\0",
    "lines": b"one\ntwo\r\n\n",
    "not UTF-8": b"\xff\xfe\x80caf\xe9",
    "every byte": EVERY_BYTE,
    "10,002 bytes": b"ab" * 5001,
    "60,000 bytes": bytes(range(250)) * 240,
    "1 MiB": EVERY_BYTE * 4096,
}


@group("items")
def item_has_what_was_given(client):
    item = client.create(mine("given", b="c"), b"a secret", "some label")
    found = client.all(item, "Item")
    equal(found["Label"], "some label")
    equal(client.attributes(item), mine("given", b="c"))
    equal(found["Locked"], False)
    equal(client.secret(item), b"a secret")
    demand(item in client.items(), "not among Items")


@group("items", gnome_keyring="empty attributes replace the newest of all items")
def nothing_is_something(client):
    """Items without properties, or with empty ones, are items, and replace none."""
    client.create(mine("not-by-none"))
    before = client.items()
    first, second = (client.create_with({}, name, replace=True) for name in (b"one", b"two"))
    equals = [client.create({}, b"", "", replace=True) for _ in range(3)]
    equal(set(client.items()), {*before, first, second, *equals}, "paths")
    equal(len(client.items()), len(before) + 5, "items")
    for item in (first, equals[0]):
        equal(client.get(item, "Item", "Label"), ("s", ""))
        equal(client.attributes(item), {})
    equal(client.secrets([first, second, *equals]), {first: b"one", second: b"two", **dict.fromkeys(equals, b"")})


@group("items")
def unknown_properties_at_creation(client):
    """They are refused, as those are that can only be read, and nothing is made."""
    before = client.items()
    unknown = ("org.example.Future", API + "Item.NoSuch", API + "Item.", API + "Collection.Label", "Label", "")
    for names, kind, value, errors in (
        (unknown, "s", "x", INVALID | {ERROR + "UnknownProperty"}),
        ((API + "Item.Locked",), "b", True, {ERROR + "Failed", ERROR + "PropertyReadOnly"}),
        ((API + "Item.Created", API + "Item.Modified"), "t", 1, {ERROR + "Failed", ERROR + "PropertyReadOnly"}),
    ):
        for name in names:
            with refused(errors, repr(name)):
                client.create_with({API + "Item.Attributes": ("a{ss}", mine("future")), name: (kind, value)})
    equal(client.items(), before)


@group("items", is_long=True)
def item_type(client):
    """Older clients give the type of an item, which is its schema, as a property."""
    item = client.create_with({API + "Item.Type": ("s", "org.example.Type")})
    equal(client.get(item, "Item", "Attributes")[1], {"xdg:schema": "org.example.Type"})
    equal(client.get(item, "Item", "Type"), ("s", "org.example.Type"))
    # Without a name it is none.
    item = client.create_with({API + "Item.Type": ("s", ""), API + "Item.Attributes": ("a{ss}", mine("no-type"))})
    equal(client.get(item, "Item", "Attributes")[1], mine("no-type"))
    with refused(INVALID, "a number"):
        client.create_with({API + "Item.Type": ("i", 1)})
    for collection in (DEFAULT, SESSION):
        item = client.create(mine("set-type"), collection=collection)
        for kind, attributes in (("org.example.Set", {"xdg:schema": "org.example.Set", **mine("set-type")}), ("", mine("set-type"))):
            client.set(item, "Item", "Type", "s", kind)
            equal(client.get(item, "Item", "Attributes")[1], attributes)
        with refused(INVALID, "a number"):
            client.set(item, "Item", "Type", "i", 1)
        client.delete(item)


@group("items", gnome_keyring="with attributes beside it, it takes what comes last of both")
def item_type_beside_attributes(client):
    values = {API + "Item.Attributes": ("a{ss}", mine("type")), API + "Item.Type": ("s", "org.example.Type")}
    typed = {"xdg:schema": "org.example.Type", **mine("type")}
    item = client.create_with(values)
    equal(client.get(item, "Item", "Attributes")[1], typed)
    equal(client.found(typed), [item])
    # Stored again, it is the same item.
    equal(client.create_with(values, b"new", replace=True), item)
    equal(client.secret(item), b"new")
    # An attribute says more than the type.
    values[API + "Item.Attributes"] = ("a{ss}", {"xdg:schema": "org.example.Attribute", **mine("type")})
    item = client.create_with(values)
    equal(client.get(item, "Item", "Type"), ("s", "org.example.Attribute"))


@group("items", gnome_keyring="it adds the generic schema when it reads its file again")
def no_attribute_is_added(client):
    """Also not after another change."""
    item = client.create(mine("added"))
    client.create(mine("added"))
    client.set(item, "Item", "Label", "s", "changed")
    equal(client.get(item, "Item", "Attributes")[1], mine("added"))


@group("items")
def odd_attributes_are_kept(client):
    """One after the other, or all on one item."""
    for number, odd in enumerate([{name: value} for name, value in ODD_ATTRIBUTES.items()] if IS_LONG else [ODD_ATTRIBUTES]):
        attributes = mine("odd", number=str(number), **odd)
        item = client.create(attributes)
        equal(client.attributes(item), attributes)
        equal(client.found(attributes), [item], repr(odd))


@group("items", is_long=True)
def odd_labels_are_kept(client):
    for label in ("", " ", "line\nline", "ä", "a\u0308", "🔑", "\x1b[31mred", "x" * 4000):
        item = client.create(mine("labels"), label=label)
        equal(client.get(item, "Item", "Label"), ("s", label))
        client.set(item, "Item", "Label", "s", "other")
        client.set(item, "Item", "Label", "s", label)
        equal(client.get(item, "Item", "Label"), ("s", label))


@group("items")
def odd_secrets_are_kept(client):
    sessions = [client.session(ENCRYPTED), *([client.session()] if IS_LONG else [])]
    for session in sessions:
        changed = client.create(mine("odd-changed"), b"first", session=session)
        for name in ODD_SECRETS if IS_LONG else ("empty", "NULs", "every byte", "60,000 bytes"):
            secret = ODD_SECRETS[name]
            item = client.create(mine("odd-secret"), secret, session=session)
            equal(client.secret(item, session), secret, name)
            client.set_secret(changed, secret, session)
            equal(client.secret(changed, session), secret, name + ", changed")
            equal(client.secrets([item, changed], session), {item: secret, changed: secret}, name + ", GetSecrets")


@group("items", gnome_keyring="it answers text/plain for all")
def content_type_is_kept(client):
    for kind in ("text/plain", "application/octet-stream", "application/json", "", "ä") if IS_LONG else ("application/json", ""):
        item = client.create(mine("kind"), kind=kind)
        equal(client.secret_and_kind(item), (b"secret", kind))
        client.set_secret(item, b"changed", kind="x/y")
        equal(client.secret_and_kind(item), (b"changed", "x/y"))


@group("items")
def equal_items_are_both_kept(client):
    one = client.create(mine("equal"), b"one")
    two = client.create(mine("equal"), b"two")
    demand(one != two, "one path for both")
    equal(set(client.found(mine("equal"))), {one, two})
    equal(client.secrets([one, two]), {one: b"one", two: b"two"})
    client.delete(one)
    equal(client.found(mine("equal")), [two])


@group("items")
def item_is_changed(client):
    item = client.create(mine("set", a="1", b="2"), b"old", "label")
    before = client.all(item, "Item")
    client.set_secret(item, b"new")
    after = client.all(item, "Item")
    equal(client.secret(item), b"new")
    for name in ("Label", "Created"):
        equal(after[name], before[name], name)
    equal(client.attributes(item), mine("set", a="1", b="2"))
    demand(after["Modified"] >= before["Modified"], "Modified goes back")
    # What is set takes the place of all attributes that were there.
    client.set(item, "Item", "Attributes", "a{ss}", mine("set", a="3"))
    equal(client.attributes(item), mine("set", a="3"))
    equal(client.found(mine("set", a="3")), [item])
    equal(client.found(mine("set", a="1")), [])


@group("items")
def item_is_replaced(client):
    """What has just these attributes, in this collection; or an item is made."""
    item = client.create(mine("replace", a="1"), b"old", "old label", replace=True)
    elsewhere = client.create(mine("replace", a="1"), b"session", collection=SESSION)
    again = client.create(mine("replace", a="1"), b"new", "new label", replace=True)
    equal(again, item, "path")
    equal(client.get(item, "Item", "Label"), ("s", "new label"))
    equal(set(client.found(mine("replace"))), {item, elsewhere})
    for attributes in (mine("replace", a="2"), mine("replace", a="1", b="2")):
        demand(client.create(attributes, b"two", replace=True) != item, attributes)
    equal(client.secrets([item, elsewhere]), {item: b"new", elsewhere: b"session"})
    equal(len(client.found(mine("replace"))), 4)
    # Of equal ones, one is.
    items = {client.create(mine("equals"), b"old") for _ in range(2)}
    item = client.create(mine("equals"), b"new", replace=True)
    demand(item in items, "another path")
    equal(sorted(client.secrets(list(items)).values()), [b"new", b"old"])


@group("items")
def texts_are_told_as_texts(client):
    """libsecret takes nothing but text/plain for a text, and gh and Git Credential Manager say something else."""
    for kind in ("text/plain; charset=utf8", "text/plain; charset=utf-8", "plain/text"):
        equal(client.secret_and_kind(client.create(mine("text-kind"), kind=kind)), (b"secret", "text/plain"))


@group("items")
def times_are_those_of_the_changes(client):
    for collection in (SESSION, DEFAULT):
        before = int(time.time())
        item = client.create(mine("times"), collection=collection)
        first = client.all(item, "Item")
        demand(before <= first["Created"] <= time.time(), "Created", first["Created"])
        equal(first["Modified"], first["Created"], "Modified in " + collection)
    changes = (
        lambda number: client.set(item, "Item", "Label", "s", str(number)),
        lambda number: client.set_secret(item, str(number).encode()),
        lambda number: client.set(item, "Item", "Attributes", "a{ss}", mine("times", n=str(number))),
    )
    for number, change in enumerate(changes):
        before = client.all(item, "Item")["Modified"]
        until(lambda limit=before + 1.01: time.time() > limit, "another second")
        change(number)
        after = client.all(item, "Item")
        demand(before < after["Modified"] <= time.time(), "change", number, "is of", after["Modified"])
        equal(after["Created"], first["Created"], "Created")
    # Reading changes no times.
    until(lambda: time.time() > after["Modified"] + 1.01, "another second")
    client.secret(item)
    client.secrets([item])
    client.unlock(item)
    equal(client.get(item, "Item", "Modified")[1], after["Modified"])


@group("items")
def wrong_types_of_properties(client):
    item = client.create(mine("wrong"), b"old")
    for values in (
        {API + "Item.Attributes": ("a{sv}", {"demand": ("s", "wrong")})},
        {API + "Item.Attributes": ("as", ["demand", "wrong"])},
        {API + "Item.Attributes": ("s", "demand=wrong")},
        {API + "Item.Attributes": ("a{si}", {"demand": 1})},
        {API + "Item.Attributes": ("a{ss}", mine("wrong")), API + "Item.Label": ("i", 1)},
        {API + "Item.Attributes": ("a{ss}", mine("wrong")), API + "Item.Label": ("ay", b"label")},
    ):
        with refused(INVALID, str(values)):
            client.create_with(values, b"new", replace=True)
    for name, kind, value in (
        ("Attributes", "a{sv}", {"demand": ("s", "wrong")}),
        ("Attributes", "s", "x"),
        ("Label", "i", 1),
    ):
        with refused(INVALID, "Set " + name):
            client.set(item, "Item", name, kind, value)
    equal(client.found(mine("wrong")), [item])
    equal(client.secret(item), b"old")
    equal(client.get(item, "Item", "Label"), ("s", "a label"))


@group("items", is_long=True)
def huge_attributes_are_whole_or_refused(client):
    whole = 0
    for attributes in (
        {"value": "x" * 1_000_000},
        {"n" * 70_000: "value"},
        {f"name{number}": "x" * 100 for number in range(10_000)},
        {"a": "x" * 60_000},
    ):
        attributes = {**mine("huge"), **attributes}
        try:
            item = client.create(attributes)
        except Refused:
            continue
        whole += 1
        demand(client.attributes(item) == attributes, "attributes were changed")
    equal(len(client.found(mine("huge"))), whole, "items")
    label = "x" * 1_000_000
    try:
        item = client.create(mine("huge-label"), label=label)
    except Refused:
        equal(client.found(mine("huge-label")), [])
    else:
        demand(client.get(item, "Item", "Label")[1] == label, "the label was changed")
        client.delete(item)
    for item in client.found(mine("huge")):
        client.delete(item)


@group("items", gnome_keyring="it has no such bound")
def secret_over_the_bound(client):
    item = client.create(mine("bound"), b"old", "label")
    before = client.all(item, "Item")
    client.set_secret(item, bytes(LARGEST_SECRET))
    equal(len(client.secret(item)), LARGEST_SECRET)
    client.set_secret(item, b"old")
    for session in (client.session(), client.session(ENCRYPTED)):
        for size in (LARGEST_SECRET + 1, LARGEST_SECRET + 17, 4 << 20) if IS_LONG else (LARGEST_SECRET + 1,):
            over_the_bound(client, item, bytes(size), session)
    equal(client.all(item, "Item")["Label"], before["Label"])
    equal(client.attributes(item), mine("bound"))


def over_the_bound(client, item, secret, session):
    for what in (
        lambda: client.set_secret(item, secret, session),
        lambda: client.create(mine("bound"), secret, "new", replace=True, session=session),
        lambda: client.create(mine("bound"), secret, "new", session=session),
    ):
        try:
            what()
        except Refused:
            equal(client.secret(item), b"old")
            equal(client.found(mine("bound")), [item])
            equal(client.get(item, "Item", "Label"), ("s", "label"))
            continue
        raise Unmet(len(secret), "bytes are taken")


@group("items")
def missing_items_are_left_out(client):
    item = client.create(mine("left-out"))
    paths = [item, UNKNOWN_ITEM, *PATHS_THAT_ARE_NONE, "/", ROOT, "/elsewhere"]
    equal(client.secrets(paths), {item: b"secret"})
    equal(client.secrets([]), {})


# sessions


@group("sessions")
def sessions_differ(client):
    with Client() as other:
        sessions = [client.session(), client.session(), client.session(ENCRYPTED), client.session(ENCRYPTED)]
        sessions.append(other.session())
        plain, encrypted = sessions[0], sessions[2]
        demand((plain.kind, plain.output) in {("s", ""), ("ay", b"")}, plain.kind, plain.output)
        demand(all(each.path.startswith(ROOT + "/session/") for each in sessions), sessions)
        equal(len({each.path for each in sessions}), 5, "paths")
        demand(encrypted.output != sessions[3].output, "the same public key for two sessions")
    item = client.create(mine("encrypted"), b"a secret", session=encrypted)
    for each in sessions[:4]:
        equal(client.secret(item, each), b"a secret")
    ivs = {bytes(client.call(item, "Item.GetSecret", "o", encrypted.path)[1]) for _ in range(10)}
    equal(len(ivs), 10, "IVs")
    found = client.call(ROOT, "Service.GetSecrets", "aoo", [item, client.create(mine("iv"))], encrypted.path)
    equal(len({bytes(sealed[1]) for sealed in found.values()}), 2, "IVs of GetSecrets")


# The unit tests have others of both.
@group("sessions", gnome_keyring="it takes keys of 1 to 129 bytes whatever their number")
def invalid_keys(client):
    for name, kind, value in (("1", "ay", b"\x01"), ("a million bytes", "ay", b"\x55" * 1_000_000), ("a text", "s", "key")):
        with refused(INVALID, "a public key that is " + name):
            client.call(ROOT, "Service.OpenSession", "sv", ENCRYPTED, (kind, value))


@group("sessions")
def unknown_algorithm(client):
    for name in ("", "PLAIN", ENCRYPTED + "-2", "x" * 10_000):
        for value in (("s", ""), ("ay", b"\x02")):
            with refused(NOT_SUPPORTED, repr(name[:60])):
                client.call(ROOT, "Service.OpenSession", "sv", name, value)


@group("sessions", gnome_keyring="it takes some of them, and says Failed for others")
def damaged_secrets(client):
    session = client.session(ENCRYPTED)
    item = client.create(mine("damaged"), b"old", session=session)
    path, iv, value, kind = session.seal(b"a secret of several blocks, because each counts")
    values = {API + "Item.Attributes": ("a{ss}", mine("damaged-new"))}
    for name, parameters, content in (
        ("an IV of 15 bytes", iv[:15], value),
        ("47 bytes", iv, value[:47]),
        ("a padding of 17", iv, session.encrypt(bytes([17]) * 32, iv)),
    ):
        sealed = (path, parameters, content, kind)
        with refused(INVALID, name + ", SetSecret"):
            client.call(item, "Item.SetSecret", "(oayays)", sealed)
        with refused(INVALID, name + ", CreateItem"):
            client.call(DEFAULT, "Collection.CreateItem", "a{sv}(oayays)b", values, sealed, False)
        equal(client.secret(item), b"old", name)
        equal(client.found(mine("damaged-new")), [], name)


def without_session(client, item, path, kind):
    """Whatever needs a session is refused with this one."""
    values = {API + "Item.Attributes": ("a{ss}", mine("no-session-new"))}
    sealed = (path, b"", b"new", "text/plain")
    for name, what in {
        "GetSecret": lambda: client.call(item, "Item.GetSecret", "o", path),
        "GetSecrets": lambda: client.call(ROOT, "Service.GetSecrets", "aoo", [item], path),
        "SetSecret": lambda: client.call(item, "Item.SetSecret", "(oayays)", sealed),
        "CreateItem": lambda: client.call(DEFAULT, "Collection.CreateItem", "a{sv}(oayays)b", values, sealed, False),
    }.items():
        with refused(NO_SESSION, f"{name}, {kind}"):
            what()
    equal(client.secret(item), b"secret", kind)
    equal(client.found(mine("no-session-new")), [], kind)


@group("sessions")
def no_session(client):
    """One that has been closed, or never was."""
    item = client.create(mine("no-session"))
    for algorithm in (PLAIN, ENCRYPTED):
        session = client.session(algorithm)
        session.close()
        without_session(client, item, session.path, "closed")
        with refused(NO_OBJECT | NO_SESSION, "closed twice"):
            session.close()
    for path in ("/", ROOT + "/session/none", ROOT, client.alias("default"), item):
        without_session(client, item, path, path)


@group("sessions")
def foreign_session(client):
    item = client.create(mine("foreign"))
    with Client() as other:
        for algorithm in (PLAIN, ENCRYPTED):
            theirs = other.session(algorithm)
            without_session(client, item, theirs.path, "foreign")
            with contextlib.suppress(Refused):
                client.call(theirs.path, "Session.Close")
            equal(other.secret(item, theirs), b"secret", "its owner's")


def is_session(client, path):
    try:
        return client.introspect(path).find(f"interface[@name='{API}Session']") is not None
    except Refused:
        return False


@group("sessions")
def session_ends_with_its_connection(client):
    with Client() as other:
        paths = [other.session().path, other.session(ENCRYPTED).path]
        demand(all(is_session(other, path) for path in paths), "no sessions")
    until(lambda: not any(is_session(client, path) for path in paths), "a session outlives its connection")
    # Sessions that are here end with Close too.
    session = client.session()
    session.close()
    until(lambda: not is_session(client, session.path), "a closed session is still there")


def resident_kilobytes(client):
    with open(f"/proc/{client.process()}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


def leave_sessions(count):
    paths = []
    for number in range(count):
        with Client() as other:
            other.alias("default")
            paths.append(other.session(ENCRYPTED if number % 10 == 0 else PLAIN, 1 << 160).path)
    return paths


@group("crowds", is_long=True)
def a_thousand_connections_leave_sessions(client):
    paths = leave_sessions(200)
    before = resident_kilobytes(client)
    paths += leave_sessions(800)
    for path in paths:
        until(lambda path=path: not is_session(client, path), path + " is still there")
    client.alias("default")
    grown = resident_kilobytes(client) - before
    demand(grown < 4096, grown, "KiB more after 800 connections")


@group("crowds", is_long=True)
def a_thousand_sessions_of_one_connection(client):
    with Client() as other:
        sessions = [other.session() for _ in range(1000)]
        item = other.create(mine("thousand"), session=sessions[-1])
        for each in (sessions[0], sessions[500], sessions[-1]):
            equal(other.secret(item, each), b"secret")
    until(lambda: not is_session(client, sessions[0].path), "its first session is still there")


def creation(client, session, attributes, secret):
    values = {API + "Item.Label": ("s", "l"), API + "Item.Attributes": ("a{ss}", attributes)}
    return DEFAULT, "Collection.CreateItem", "a{sv}(oayays)b", values, session.seal(secret, "text/plain"), True


def setting(item, name, kind, value):
    return item, PROPERTIES + ".Set", "ssv", API + "Item", name, (kind, value)


@group("crowds")
def replacing_at_once_leaves_one(client):
    session = client.session()
    client.at_once(*(creation(client, session, mine("at-once-one"), str(n).encode()) for n in range(8)))
    found = client.found(mine("at-once-one"))
    equal(len(found), 1, "items")
    equal(client.secret(found[0]), b"7")


@group("crowds")
def what_moves_is_not_replaced(client):
    """An item gets other attributes while a program replaces what had the former ones."""
    session = client.session()
    item = client.create(mine("moving", at="old"), b"moved")
    client.at_once(setting(item, "Attributes", "a{ss}", mine("moving", at="new")),
                   creation(client, session, mine("moving", at="old"), b"new"))
    equal([client.secret(path) for path in client.found(mine("moving", at="new"))], [b"moved"])
    equal([client.secret(path) for path in client.found(mine("moving", at="old"))], [b"new"])


@group("crowds")
def changes_at_once_are_all_made(client):
    item = client.create(mine("all-made"), b"old")
    client.at_once(setting(item, "Label", "s", "another"), setting(item, "Attributes", "a{ss}", mine("all-made", f="2")),
                   (item, "Item.SetSecret", "(oayays)", client.session().seal(b"new", "text/plain")))
    _, label = client.call(item, PROPERTIES + ".Get", "ss", API + "Item", "Label")
    equal((label, client.attributes(item), client.secret(item)), ("another", mine("all-made", f="2"), b"new"))


@group("crowds", gnome_keyring="it takes secrets of any size")
def refused_change_is_refused_alone(client):
    """One item that is too large keeps none of those out that come with it."""
    session = client.session()
    secrets = [b"s" * ((1 << 20) + 1 if n == 7 else 1) for n in range(12)]
    calls = [creation(client, session, mine("refused-alone", n=str(n)), secret) for n, secret in enumerate(secrets)]
    for n, serial in enumerate([client.begin(client.message(*call)) for call in calls]):
        with refused({ERROR + "LimitsExceeded", ERROR + "InvalidArgs"}, "a large secret") if n == 7 else contextlib.nullcontext():
            client.answer(serial)
    equal(len(client.found(mine("refused-alone"))), 11, "items")


# In a group of its own, because it ends gnome-keyring.
@group("open-session-first", gnome_keyring="it can abort when clients begin with OpenSession at once")
def clients_begin_with_open_session(client):
    barrier = threading.Barrier(16)

    def begin(number):
        with Client() as other:
            barrier.wait(PATIENCE)
            for _ in range(20):
                session = other.session(ENCRYPTED if number % 2 else PLAIN)
            attributes = mine("at-once", number=str(number))
            item = other.create(attributes, str(number).encode(), session=session)
            equal(other.found(attributes), [item])
            equal(other.secret(item, session), str(number).encode())
            other.delete(item)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(begin, range(16)))
    equal(client.found(mine("at-once")), [])


# unlocking and locking


@group("unlock")
def unlocked_is_answered_as_asked(client):
    path = client.alias("default")
    item = client.create(mine("unlock"))
    for objects in ([path], [DEFAULT], [item], [path, DEFAULT, item], [client.alias("session")], [ROOT + "/aliases/session"]):
        equal(client.unlock(*objects), [objects, "/"])


@group("unlock")
def unknown_is_not_unlocked(client):
    path = client.alias("default")
    equal([client.unlock(), client.lock()], [[[], "/"]] * 2, "nothing")
    for unknown in (*PATHS_THAT_ARE_NONE, "/", ROOT, "/elsewhere"):
        equal(client.unlock(unknown), [[], "/"], unknown)
        equal(client.unlock(unknown, path, unknown), [[path], "/"], unknown)
        equal(client.lock(unknown), [[], "/"], unknown)
    equal(client.get(DEFAULT, "Collection", "Locked"), ("b", False))


@group("unlock", gnome_keyring="it looks at the collection alone")
def unknown_items_are_not_unlocked(client):
    for unknown in (UNKNOWN_ITEM, client.alias("default") + "/no_such_item"):
        equal(client.unlock(unknown), [[], "/"], unknown)
        equal(client.unlock(unknown, DEFAULT), [[DEFAULT], "/"], unknown)
        equal(client.lock(unknown), [[], "/"], unknown)
    equal(client.get(DEFAULT, "Collection", "Locked"), ("b", False))


# what clients rely on when it is locked; the rest of it is for those who know how the service is unlocked


@contextlib.contextmanager
def locked(client, password, *others):
    """The default collection is locked, and those others."""
    path = client.alias("default")
    equal(client.lock(DEFAULT, *others), [[DEFAULT, *others], "/"], "Lock")
    try:
        yield
    finally:
        client.unlock_with(password, path)


@group("locked")
def locked_as_asked(client, password):
    path = client.alias("default")
    item = client.create(mine("locked"), b"old", "label")
    client.listen()
    expected = ["ItemChanged " + item, item + " Locked", "CollectionChanged " + path, path + " Locked"]
    with locked(client, password):
        client.wait_for(*expected)
        equal(client.get(path, "Collection", "Locked"), ("b", True))
        equal(client.get(item, "Item", "Locked"), ("b", True))
        equal(client.lock(path), [[path], "/"], "locked again")
        with refused({"org.gnome.keyring.Error.Denied"}, "a wrong password"):
            client.unlock_with(password + b"x", path)
        equal(client.get(path, "Collection", "Locked"), ("b", True))
        # Collections are told all the same.
        equal(client.alias("default"), path)
        demand(path in client.collections(), "not among Collections")
        equal(client.get(path, "Collection", "Label"), ("s", "Login"))
        equal(client.get(path, "Collection", "Items")[0], "ao", "type of Items")
        client.signals.clear()
    client.wait_for(*expected)
    equal(client.secret(item), b"old")


# one collection that is locked alone


def unlock_alone(client, password, collection):
    """Where a collection has a password of its own, it is that of create_collection."""
    try:
        client.unlock_with(password, collection)
    except Refused as error:
        if error.name != "org.gnome.keyring.Error.Denied":
            raise
        client.unlock_with(b"password", collection)


@contextlib.contextmanager
def locked_alone(client, password, **attributes):
    """A collection with an item that are locked, beside an open item in the default one: all three."""
    other = client.create_collection("locked alone")
    item = client.create(attributes, b"locked", "label", collection=other)
    beside = client.create(attributes, b"open")
    equal(client.lock(other), [[other], "/"], "Lock")
    try:
        yield other, item, beside
    finally:
        unlock_alone(client, password, other)
        client.delete_collection(other)
        client.delete(beside)


def locked_states(client, *paths):
    return [client.get(path, "Item" if path.count("/") > 5 else "Collection", "Locked")[1] for path in paths]


def refused_while_locked(client, session, item, collection, attributes):
    """All that uses or changes an item with these attributes, or its collection, but for what gnome-keyring does."""
    for name, what in {
        "GetSecret": lambda: client.secret(item, session),
        "SetSecret": lambda: client.set_secret(item, b"new", session),
        "Delete": lambda: client.call(item, "Item.Delete"),
        "Set Label": lambda: client.set(item, "Item", "Label", "s", "new"),
        "Set Type": lambda: client.set(item, "Item", "Type", "s", "new"),
        "CreateItem": lambda: client.create(attributes, collection=collection, session=session),
        "replace": lambda: client.create(attributes, replace=True, collection=collection, session=session),
        "Set Label of the collection": lambda: client.set(collection, "Collection", "Label", "s", "new"),
    }.items():
        with refused(IS_LOCKED, name):
            what()


@group("locked")
def what_is_stored_meanwhile_is_hidden(client, password):
    session = client.session()
    calls = [creation(client, session, mine("stored-meanwhile", n=str(n)), b"s") for n in range(20)]
    serials = [client.begin(client.message(*call)) for call in calls]
    with locked(client, password):
        for serial in serials:
            with contextlib.suppress(Refused):
                client.answer(serial)
        # A search may be refused, too.
        with contextlib.suppress(Refused):
            equal(client.call(ROOT, "Service.SearchItems", "a{ss}", mine("stored-meanwhile"))[0], [], "unlocked")


@group("locked")
def one_collection_is_locked_alone(client, password):
    path = client.alias("default")
    with locked_alone(client, password, **mine("alone")) as (other, item, beside):
        equal(locked_states(client, other, item, path, beside), [True, True, False, False], "Locked")
        equal(client.call(ROOT, "Service.SearchItems", "a{ss}", mine("alone")), [[beside], [item]], "SearchItems")
        equal(client.found_in(other, mine("alone")), [item], "SearchItems of the collection")
        equal(client.items(other), [item])
        # What is in it can be seen, and not used.
        found = client.all(item, "Item")
        equal((found["Label"], client.attributes(item)), ("label", mine("alone")))
        equal(client.secrets([item, beside]), {beside: b"open"})
        refused_while_locked(client, client.session(), item, other, mine("alone"))
        equal(client.secret(beside), b"open")
        client.set_secret(beside, b"still open")
        equal(client.create(mine("alone"), b"replaced", replace=True), beside)
        equal(client.lock(other), [[other], "/"], "locked again")
        equal(client.unlock(path, beside), [[path, beside], "/"], "what is open")
        with refused({"org.gnome.keyring.Error.Denied"}, "a wrong password"):
            client.unlock_with(b"wrong", other)
        equal(locked_states(client, other, item), [True, True], "Locked")
        unlock_alone(client, password, other)
        equal(locked_states(client, other, item, path, beside), [False, False, False, False], "Locked")
        equal(client.secret(item), b"locked")
        equal(set(client.found(mine("alone"))), {item, beside})
        # An item's lock is its collection's.
        equal(client.lock(item), [[item], "/"], "Lock")
        equal(locked_states(client, other, item, path), [True, True, False], "Locked")


@group("locked", gnome_keyring="it deletes locked collections, and takes other attributes for locked items")
def collection_locked_alone_is_not_changed(client, password):
    with locked_alone(client, password, **mine("alone-changed")) as (other, item, _):
        for name, what in {
            "Delete": lambda: client.call(other, "Collection.Delete"),
            "Set Attributes": lambda: client.set(item, "Item", "Attributes", "a{ss}", {}),
        }.items():
            with refused(IS_LOCKED, name):
                what()


@group("locked", is_long=True)
def locking_alone_is_signalled(client, password):
    path = client.alias("default")
    other = client.create_collection("signalled alone")
    item = client.create(mine("alone-signals"), collection=other)
    expected = ["ItemChanged " + item, item + " Locked", "CollectionChanged " + other, other + " Locked"]
    client.listen()
    for change in (lambda: client.lock(other), lambda: unlock_alone(client, password, other)):
        client.signals.clear()
        marked(client, change)
        demand(set(expected) <= set(client.described()), "no signal:", client.described())
        demand(path + " Locked" not in client.described(), "the default collection:", client.described())
    client.delete_collection(other)


@group("locked")
def what_is_in_memory_is_never_locked(client, password):
    item = client.create(mine("alone-memory"), b"old", collection=SESSION)
    with locked_alone(client, password, **mine("alone-memory-2")) as (other, _, _):
        client.lock(SESSION, item, client.alias("session"), other)
        equal(locked_states(client, client.alias("session"), item, other), [False, False, True], "Locked")
        equal(client.secret(item), b"old")
    client.delete(item)


@group("locked", gnome_keyring="each of its collections has a password, and stays as it is")
def last_open_collection_locks_the_keychain(client, password):
    """Then everything is encrypted, and whoever unlocks it unlocks all of it."""
    path = client.alias("default")
    with locked_alone(client, password, **mine("alone-last")) as (other, item, beside):
        # What holds an item is locked with it.
        equal(client.lock(beside), [[beside], "/"], "Lock of an item")
        equal(locked_states(client, path), [True], "Locked")
        equal(client.get(item, "Item", "Label"), ("s", ""), "label of what is encrypted")
        with refused(IS_LOCKED, "a new collection"):
            client.create_collection("while locked")
        client.unlock_with(password, path)
        equal(locked_states(client, other, item, path, beside), [False] * 4, "Locked")
        client.lock(other)
        client.call(ROOT, "Service.LockService")
        client.unlock_with(password, path)
        equal(locked_states(client, other, item, path, beside), [False] * 4, "Locked")


@group("locked", is_long=True, gnome_keyring="it asks a prompter of its own")
def nobody_to_ask_for_one_collection(client, password):
    with locked_alone(client, password, **mine("alone-nobody")) as (other, item, _):
        unlocked, prompt = client.unlock(other)
        equal(unlocked, [])
        client.listen()
        equal(client.prompted(prompt), (True, ("ao", [])))
        equal(locked_states(client, other, item), [True, True], "Locked")


@group("unlock", gnome_keyring="its new collections have passwords")
def collection_without_a_password_is_unlocked_unasked(client):
    """It is locked all the same, as gnome-keyring's are that have an empty one."""
    path = client.alias("default")
    other = client.create_collection("no password")
    item = client.create(mine("unasked"), b"old", collection=other)
    for each in (other, item):
        equal(client.lock(each), [[each], "/"], "Lock")
        equal(locked_states(client, other, item, path), [True, True, False], "Locked")
        with refused(IS_LOCKED, "GetSecret"):
            client.secret(item)
        equal(client.unlock(each, path), [[each, path], "/"], "Unlock")
        equal(client.secret(item), b"old")
    equal(client.lock(path, other), [[path, other], "/"], "Lock of all")
    with refused(IS_LOCKED, "CreateItem"):
        client.create(mine("unasked"))
    equal(client.unlock(DEFAULT), [[DEFAULT], "/"], "Unlock")
    equal(locked_states(client, other, item, path), [True, True, False], "Locked")
    client.unlock_with(b"whatever", other)
    client.delete_collection(other)


@group("locked")
def locked_secrets_are_refused(client, password):
    item = client.create(mine("locked-refused"), b"old", "label")
    session = client.session()
    with locked(client, password):
        equal(client.secrets([item]), {})
        refused_while_locked(client, session, item, DEFAULT, mine("locked-refused"))
        # What is kept for now is in memory, and needs no unlocked file.
        equal(client.secret(client.create(mine("locked-memory"), collection=SESSION)), b"secret")
    equal(client.found(mine("locked-refused")), [item])
    equal([client.get(path, kind, "Label")[1] for path, kind in ((item, "Item"), (DEFAULT, "Collection"))], ["label", "Login"])
    equal(client.secret(item), b"old")


@group("locked", gnome_keyring="it takes other attributes for locked items")
def locked_collections_are_not_changed(client, password):
    other = client.create_collection("locked too")
    item = client.create(mine("locked-deletion"), b"old", collection=other)
    before = client.collections()
    with locked(client, password, other):
        for name, what in {
            "Set Attributes": lambda: client.set(item, "Item", "Attributes", "a{ss}", {}),
            "Delete of a collection": lambda: client.call(other, "Collection.Delete"),
            "CreateCollection": lambda: client.call(
                ROOT, "Service.CreateCollection", "a{sv}s", {API + "Collection.Label": ("s", "while locked")}, ""
            ),
        }.items():
            with refused(IS_LOCKED, name):
                what()
    equal(client.collections(), before)
    equal(client.attributes(item), mine("locked-deletion"))
    equal(client.secret(item), b"old")
    client.delete_collection(other)


@group("locked", gnome_keyring="it doesn't signal that, and each of its collections has a password")
def lock_service_locks_all(client, password):
    path = client.alias("default")
    other = client.create_collection("locked by LockService")
    item = client.create(mine("lock-service"), b"old", collection=other)
    client.listen()
    equal(client.call(ROOT, "Service.LockService"), [], "LockService")
    try:
        for each in (path, other):
            equal(client.get(each, "Collection", "Locked"), ("b", True), each)
        client.wait_for(path + " Locked", other + " Locked")
        with refused(IS_LOCKED, "GetSecret"):
            client.secret(item)
    finally:
        client.unlock_with(password, path, client.session(ENCRYPTED))
    equal(client.secret(item), b"old")
    client.delete_collection(other)


@group("locked")
def unlocking_needs_a_prompt(client, password):
    path = client.alias("default")
    with locked(client, password), Client() as other:
        unlocked, prompt = client.unlock(path)
        equal(unlocked, [])
        demand(prompt != "/", "no prompt")
        for method in ("Prompt.Prompt", "Prompt.Dismiss"):
            with refused(DENIED, method + " by another"):
                other.call(prompt, method, *(["s", ""] if method == "Prompt.Prompt" else []))
        described_as_demanded(client, prompt, "Prompt")
        # Nobody can answer here, so the prompt is dismissed by the service.
        dismissed, result = client.prompted(prompt)
        equal((dismissed, result), (True, ("ao", [])))
        equal(client.get(path, "Collection", "Locked"), ("b", True))


# what happens when somebody is asked for the password


class Person:
    """Whoever is asked for the password. Each question is a FIFO PROCESS.question, from which one answer is read."""

    def __init__(self, folder):
        self.folder = folder

    def waiting(self):
        """The questions that wait for an answer."""
        names = [name for name in os.listdir(self.folder) if name.endswith(".question")]
        return [name for name in names if os.path.exists("/proc/" + name.partition(".")[0])]

    def answer(self, text):
        """Waits for the next question, and answers it."""
        until(self.waiting, "nobody is asked")
        [name] = self.waiting()
        path = os.path.join(self.folder, name)
        # It is opened when both have opened it, and not needed afterwards.
        with open(path, "wb") as file:
            os.unlink(path)
            file.write(text + b"\n")


@contextlib.contextmanager
def prompt_for(client, password, *objects):
    """Locks, and has the objects unlocked: gives the prompt. At the end it is unlocked whatever has happened."""
    path = client.alias("default")
    with locked(client, password):
        opened, prompt = client.unlock(*(objects or [path]))
        equal(opened, [], "unlocked without a prompt")
        demand(prompt != "/", "no prompt")
        client.listen()
        yield prompt


@group("asked")
def prompt_unlocks(client, password, answers):
    """What it was asked for, in the spelling in which it was, once the password is right; a refusal unlocks nothing."""
    path = client.alias("default")
    person = Person(answers)
    item = client.create(mine("asked-signals"), b"old")
    for each in (path, item, by_alias(item)):
        with prompt_for(client, password, each) as prompt:
            client.call(prompt, "Prompt.Prompt", "s", "")
            person.answer(b"")
            equal(client.completed(prompt), (True, ("ao", [])), "result")
            equal(locked_states(client, path, item), [True, True], "Locked")
        with prompt_for(client, password, each) as prompt:
            client.call(prompt, "Prompt.Prompt", "s", "")
            for wrong in (b"wrong", b"wrong again"):
                person.answer(wrong)
                equal(locked_states(client, path, item), [True, True], "Locked")
            person.answer(password)
            equal(client.completed(prompt), (False, ("ao", [each])), "result")
            equal(locked_states(client, path, item), [False, False], "Locked")
            client.wait_for("ItemChanged " + item, item + " Locked", "CollectionChanged " + path, path + " Locked")
            with refused(NO_OBJECT, "Prompt of a completed prompt"):
                client.call(prompt, "Prompt.Prompt", "s", "")
            equal(client.secret(item), b"old")


@group("asked")
def search_that_nobody_answers(client, password, answers):
    """What is locked is found as one object that can be unlocked, before clients give up."""
    path = client.alias("default")
    item = client.create(mine("asked-search"), b"old")
    client.create(mine("asked-search-other"), b"other")
    with locked(client, password):
        (unlocked, found), inside = client.at_once(
            (ROOT, "Service.SearchItems", "a{ss}", mine("asked-search")),
            (path, "Collection.SearchItems", "a{ss}", mine("asked-search")),
        )
        equal(unlocked, [], "unlocked")
        equal([len(found), len(inside)], [1, 1], "objects")
        for each in (*found, *inside):
            equal(client.get(each, "Item", "Locked"), ("b", True))
            equal(client.get(each, "Item", "Label"), ("s", ""))
        opened, prompt = client.unlock(*found)
        equal(opened, [], "unlocked without a prompt")
        client.listen()
        client.call(prompt, "Prompt.Prompt", "s", "")
        Person(answers).answer(password)
        equal(client.completed(prompt), (False, ("ao", found)), "result")
        equal(client.secrets(found), {found[0]: b"old"})
        equal(client.found(mine("asked-search")), [item])


@group("asked")
def dismissed_prompt_is_gone(client, password, answers):
    """Before and after it is shown, which it is once; the question ends with it. So is one that never was."""
    path = client.alias("default")
    person = Person(answers)
    for is_shown in (False, True):
        with prompt_for(client, password) as prompt:
            if is_shown:
                client.call(prompt, "Prompt.Prompt", "s", "")
                until(person.waiting, "nobody is asked")
                with refused({API + "Error.AlreadyExists"}, "the second time"):
                    client.call(prompt, "Prompt.Prompt", "s", "")
                equal(client.get(path, "Collection", "Locked"), ("b", True))
            client.call(prompt, "Prompt.Dismiss")
            equal(client.completed(prompt), (True, ("ao", [])), "result")
            for method, *body in (("Prompt.Prompt", "s", ""), ("Prompt.Dismiss",)):
                with refused(NO_OBJECT, method + " of a dismissed prompt"):
                    client.call(prompt, method, *body)
            until(lambda: not person.waiting(), "the question goes on")
            equal(client.get(path, "Collection", "Locked"), ("b", True))
    with refused(NO_OBJECT, "a prompt that never was"):
        client.call(ROOT + "/prompt/none", "Prompt.Prompt", "s", "")


@group("asked")
def prompt_unlocks_one_collection(client, password, answers):
    """The passphrase is asked for although the keychain is open, again until it is right; meanwhile the others stay open."""
    person = Person(answers)
    with locked_alone(client, password, **mine("asked-alone")) as (other, item, beside):
        client.listen()

        def shown():
            opened, prompt = client.unlock(other, beside)
            equal(opened, [beside], "unlocked without a prompt")
            client.call(prompt, "Prompt.Prompt", "s", "")
            return prompt

        # A search asks nobody where the keychain is open.
        equal(client.call(ROOT, "Service.SearchItems", "a{ss}", mine("asked-alone")), [[beside], [item]])
        equal(person.waiting(), [])
        dismissed = shown()
        until(person.waiting, "somebody who is asked")
        client.call(dismissed, "Prompt.Dismiss")
        equal(client.completed(dismissed), (True, ("ao", [])), "result")
        until(lambda: not person.waiting(), "the end of the question")
        declined = shown()
        person.answer(b"")
        equal(client.completed(declined), (True, ("ao", [])), "result")
        prompt = shown()
        person.answer(b"wrong")
        equal(locked_states(client, other, item, beside), [True, True, False], "Locked")
        equal(client.secret(beside), b"open")
        person.answer(password)
        equal(client.completed(prompt), (False, ("ao", [other])), "result")
        equal(locked_states(client, other, item, beside), [False] * 3, "Locked")
        equal(client.secret(item), b"locked")


# signals


def marked(client, what):
    """Does something, and waits for the signal of a later change, so that all signals of the first have come."""
    last = client.create(mine("mark"), collection=SESSION)
    client.wait_for("ItemCreated " + last)
    client.signals.clear()
    result = what()
    client.delete(last)
    client.wait_for("ItemDeleted " + last)
    client.signals = [each for each in client.signals if last not in str(each.body) and each.path != SESSION]
    return result


@group("signals")
def changes_of_items_are_told(client):
    """Also to others. PropertiesChanged of a collection has the new list, or tells that it is no longer valid."""
    with Client() as other:
        other.listen()
        for collection in (client.alias("default"), SESSION):
            other.signals.clear()
            item = client.create(mine("signals"), collection=collection)
            other.wait_for("ItemCreated " + item, collection + " Items")
            equal([each.path for each in other.signals if each.member == "ItemCreated"], [collection], "path of the signal")
            for signal in other.signals:
                if signal.interface == PROPERTIES and signal.path == collection:
                    interface, changed, invalidated = signal.body
                    equal(interface, API + "Collection")
                    demand("Items" in invalidated or item in changed["Items"][1], "the list lacks the item")
            client.set(item, "Item", "Label", "s", "new")
            other.wait_for("ItemChanged " + item, item + " Label")
            client.set(item, "Item", "Attributes", "a{ss}", mine("signals", a="b"))
            other.wait_for(item + " Attributes")
            other.signals.clear()
            client.delete(item)
            other.wait_for("ItemDeleted " + item, collection + " Items")


@group("signals", gnome_keyring="it doesn't tell")
def secret_set_is_told(client):
    for collection in (DEFAULT, SESSION):
        item = client.create(mine("signal-new-secret"), collection=collection)
        client.listen()
        client.set_secret(item, b"new")
        client.wait_for("ItemChanged " + item)


@group("signals")
def item_replaced(client):
    item = client.create(mine("signal-replace"))
    client.listen()
    marked(client, lambda: client.create(mine("signal-replace"), b"new", replace=True))
    demand("ItemCreated " + item in client.described(), "no ItemCreated:", client.described())
    demand("ItemDeleted " + item not in client.described(), client.described())


@group("signals")
def refused_change_is_not_told(client):
    item = client.create(mine("signal-refused"))
    client.listen()

    def change():
        with refused(INVALID, "a number as label"):
            client.set(item, "Item", "Label", "i", 1)
        with refused(NO_SESSION, "no session"):
            client.call(item, "Item.SetSecret", "(oayays)", ("/", b"", b"", ""))

    marked(client, change)
    equal([each for each in client.described() if item in each or each.endswith(" Items")], [], "signals")


# changes by another program, which whoever runs this makes when it reads `listening`


@group("elsewhere")
def told_of_changes_elsewhere(client):
    client.listen()
    print("listening", flush=True)
    end = time.monotonic() + PATIENCE
    while not any(each.member == "ItemCreated" for each in client.signals):
        client.receive(end)
    item = next(each.body[0] for each in client.signals if each.member == "ItemCreated")
    demand(item in client.items(), item)
    client.wait_for(client.alias("default") + " Items")


# collections


@group("collections")
def collection_is_created_and_deleted(client):
    client.listen()
    path = client.create_collection("a collection")
    client.wait_for("CollectionCreated " + path, ROOT + " Collections")
    demand(path in client.collections(), "not among Collections")
    found = client.all(path, "Collection")
    equal((found["Label"], found["Items"], found["Locked"]), ("a collection", [], False))
    item = client.create(mine("in-collection"), collection=path)
    equal(client.items(path), [item])
    equal(client.found(mine("in-collection")), [item])
    client.signals.clear()
    client.set(path, "Collection", "Label", "s", "new name")
    client.wait_for("CollectionChanged " + path, path + " Label")
    equal(client.get(path, "Collection", "Label"), ("s", "new name"))
    demand(path in client.collections(), "its path changed")
    client.signals.clear()
    client.delete_collection(path)
    client.wait_for("CollectionDeleted " + path, ROOT + " Collections")
    demand(path not in client.collections(), "still among Collections")
    equal(client.found(mine("in-collection")), [])
    with refused(NO_OBJECT | INVALID | {ERROR + "UnknownInterface"}, "GetAll"):
        client.all(path, "Collection")


@group("collections", gnome_keyring="it answers 0")
def changes_of_a_collection_are_dated(client):
    """A new label and a new item change the collection; when it was created stays."""
    client.create(mine("times-of-default"))
    path = client.create_collection("dated")
    for name in ("Created", "Modified"):
        demand(0 < client.get(DEFAULT, "Collection", name)[1] <= time.time(), name)
        demand(abs(client.get(path, "Collection", name)[1] - time.time()) < 60, name)
    changes = {
        "label": lambda: client.set(path, "Collection", "Label", "s", "dated again"),
        "item": lambda: client.create(mine("dated"), collection=path),
    }
    created = client.get(path, "Collection", "Created")
    for name, change in changes.items():
        before = client.get(path, "Collection", "Modified")[1]
        until(lambda limit=before + 1.01: time.time() > limit, "the clock stands still")
        change()
        after = client.get(path, "Collection", "Modified")[1]
        demand(before < after <= time.time(), "after a new", name, "Modified is", after, "and was", before)
        equal(client.get(path, "Collection", "Created"), created, "Created")
    client.delete_collection(path)


# In a group of its own, because it needs an empty keychain.
@group("dates", gnome_keyring="it answers 0")
def dates_of_collections_without_items(client):
    """Those that are always there have no record of their own, and no date is made up for them."""

    def dates():
        return [client.get(collection, "Collection", name)[1] for name in ("Created", "Modified")]

    for collection in (DEFAULT, SESSION):
        equal(dates(), [0, 0])
        before = int(time.time())
        item = client.create(mine("the-only-one"), collection=collection)
        demand(all(before <= date <= time.time() for date in dates()), before, dates())
        client.delete(item)
        equal(dates(), [0, 0])


@group("collections")
def odd_names_of_collections(client):
    """Their paths have no other characters than the bus allows, and are different for one label."""
    paths = [client.create_collection(label) for label in ("Größe_1", "a b/c", "🔑", "x" * 100, "one_two", "one_two")]
    equal(len(set(paths)), len(paths), "paths")
    equal(paths[-2], ROOT + "/collection/one_5ftwo")
    for path, label in zip(paths, ("Größe_1", "a b/c", "🔑", "x" * 100, "one_two", "one_two")):
        name = path[len(ROOT + "/collection/") :]
        demand(name and all(each.isascii() and (each.isalnum() or each == "_") for each in name), path)
        equal(client.get(path, "Collection", "Label"), ("s", label))
        client.delete_collection(path)


@group("collections", gnome_keyring="it deletes them")
def collections_that_stay(client):
    """What programs expect to find is not deleted."""
    item = client.create(mine("stays"), b"old")
    for path in (DEFAULT, client.alias("login"), SESSION):
        with refused(NOT_SUPPORTED, "Delete " + path):
            client.call(path, "Collection.Delete")
        demand(client.get(path, "Collection", "Label")[1], path)
    equal(client.secret(item), b"old")


@group("collections", gnome_keyring="it asks for a password first")
def existing_default_is_answered(client):
    """libsecret asks for the default collection in this way."""
    values = {API + "Collection.Label": ("s", "Default")}
    before = client.collections()
    path, prompt = client.call(ROOT, "Service.CreateCollection", "a{sv}s", values, "default")
    equal((path, prompt), (client.alias("default"), "/"))
    equal(client.collections(), before)


@group("collections")
def wrong_properties_of_collections(client):
    before, label = client.collections(), client.get(DEFAULT, "Collection", "Label")
    for name in ("org.example.Future", API + "Collection.NoSuch", API + "Item.Label", "Label", ""):
        values = {API + "Collection.Label": ("s", "with more"), name: ("s", "x")}
        with refused(INVALID | {ERROR + "UnknownProperty"}, repr(name)):
            client.call(ROOT, "Service.CreateCollection", "a{sv}s", values, "")
    with refused(INVALID, "a number as label"):
        client.call(ROOT, "Service.CreateCollection", "a{sv}s", {API + "Collection.Label": ("i", 1)}, "")
    with refused(NOT_SUPPORTED, "an alias that nobody knows"):
        client.call(ROOT, "Service.CreateCollection", "a{sv}s", {API + "Collection.Label": ("s", "Other")}, "no_such_alias")
    with refused(INVALID, "a number as label"):
        client.set(DEFAULT, "Collection", "Label", "i", 1)
    equal((client.collections(), client.get(DEFAULT, "Collection", "Label")), (before, label))


@group("collections", gnome_keyring="it leaves them out")
def read_only_properties_of_new_collections(client):
    before = client.collections()
    for name, kind, value in (("Locked", "b", True), ("Created", "t", 1), ("Modified", "t", 1), ("Items", "ao", [])):
        values = {API + "Collection.Label": ("s", "with more"), f"{API}Collection.{name}": (kind, value)}
        with refused({ERROR + "PropertyReadOnly"}, name):
            client.call(ROOT, "Service.CreateCollection", "a{sv}s", values, "")
    equal(client.collections(), before)


# what survives the service


@group("keeps")
def things_are_stored(client, state):
    items = []
    for label, attributes, secret, kind in KEPT:
        session = client.session(ENCRYPTED if len(items) % 2 else PLAIN)
        path = client.create(attributes, secret, label, session=session, kind=kind)
        found = client.all(path, "Item")
        items.append([path, found["Created"], found["Modified"]])
    collection = client.create_collection("kept collection")
    before = {
        "items": items,
        "removed": client.create(mine("kept-not")),
        "below": client.create(mine("kept-below"), b"below", collection=collection),
        "collection": collection,
        "in_memory": client.create(mine("kept-not"), collection=SESSION),
        "session": client.session().path,
        "default": client.alias("default"),
    }
    client.delete(before["removed"])
    with open(state, "w", encoding="ascii") as file:
        json.dump(before, file)


KEPT = [
    ("a label", mine("kept", number="1"), b"a secret", "text/plain"),
    ("a label", mine("kept", number="1"), b"another secret", "text/plain"),
    ("", {}, b"", "text/plain"),
    ("Größe 🔑", {"xdg:schema": "org.example.Kept", **mine("kept")}, EVERY_BYTE, "application/octet-stream"),
    ("generic", {"xdg:schema": GENERIC, **mine("kept")}, b"one\ntwo\n", "text/x-lines"),
    *((name, mine("kept-odd", **{name: value}), b"odd", "application/x-odd") for name, value in ODD_ATTRIBUTES.items()),
    ("gnome-keyring's own", {"gkr:compat:hashed:user": "12345", **mine("kept-own")}, b"x", ""),
    *((name, mine("kept-secret"), secret, "") for name, secret in ODD_SECRETS.items()),
]


def what_was_kept(state):
    with open(state, encoding="ascii") as file:
        return json.load(file)


@group("kept")
def items_survive(client, state):
    """gnome-keyring adds the generic schema where there is none, and takes those beginning with gkr: for its own."""
    before = what_was_kept(state)
    equal(client.alias("default"), before["default"])
    demand(before["collection"] in client.collections(), "the collection is missing")
    equal(client.get(before["collection"], "Collection", "Label"), ("s", "kept collection"))
    paths = [item[0] for item in before["items"]]
    demand(set(paths) <= set(client.items()), "items are missing")
    for session in (client.session(), client.session(ENCRYPTED)):
        found = client.secrets(paths, session)
        for path, (label, _, secret, _) in zip(paths, KEPT):
            equal(found.get(path), secret, label)
    for (path, created, modified), (label, attributes, _, _) in zip(before["items"], KEPT):
        found = client.all(path, "Item")
        equal((found["Label"], found["Created"], found["Modified"]), (label, created, modified))
        if not any(name.startswith("gkr:") for name in attributes):
            equal(client.attributes(path), {name: value for name, value in attributes.items() if value != GENERIC})


@group("kept", gnome_keyring="it adds the generic schema, takes those beginning with gkr: for its own, and answers text/plain")
def items_are_the_very_same(client, state):
    for (path, _, _), (_, attributes, secret, kind) in zip(what_was_kept(state)["items"], KEPT):
        equal(client.get(path, "Item", "Attributes")[1], attributes)
        equal(client.secret_and_kind(path), (secret, kind))


@group("kept")
def what_was_in_memory_does_not_survive(client, state):
    before = what_was_kept(state)
    equal(client.items(SESSION), [])
    equal(client.found(mine("kept-not")), [])
    equal(client.secrets([before["in_memory"]]), {})
    with refused(NO_SESSION, "the session of before"):
        client.call(before["items"][0][0], "Item.GetSecret", "o", before["session"])


@group("kept", gnome_keyring="it gives the highest number again after a restart")
def removed_path_is_not_reused(client, state):
    for _ in range(3):
        demand(client.create(mine("kept-again")) != what_was_kept(state)["removed"], "the path of a deleted item")


@group("kept", gnome_keyring="its collection has a password of its own, and is locked")
def collection_keeps_its_items(client, state):
    before = what_was_kept(state)
    equal(client.secrets([before["below"]]), {before["below"]: b"below"})


# the portal


@group("portal")
def each_program_has_a_secret_of_its_own(client):
    with Portal() as portal:
        first, second = portal.secret_of("org.example.One"), portal.secret_of("org.example.Two")
        equal([len(first), len(second)], [64, 64], "lengths")
        demand(first != second, "two programs have the same")
        demand(len(set(first)) > 20, "not drawn at random")
        equal(portal.secret_of("org.example.One"), first, "the second time")
    with Portal() as portal:
        equal(portal.secret_of("org.example.One"), first, "on another connection")
        # A program without a sandbox has no name.
        equal(portal.secret_of(""), portal.secret_of(""))


@group("portal", gnome_keyring="it takes the first that has this attribute among others")
def portal_takes_what_another_service_has_made(client):
    item = client.create({"app_id": "org.example.Migrated"}, b"m" * 64)
    client.create({"app_id": "org.example.Migrated", "other": "attribute"}, b"o" * 64)
    with Portal() as portal:
        equal(portal.secret_of("org.example.Migrated"), b"m" * 64)
    client.delete(item)


@group("portal")
def portal_secrets_at_once(client):
    with Portal() as portal:
        ends = [os.pipe() for _ in range(20)]
        serials = [portal.ask("org.example.Once", writing)[0] for _, writing in ends]
        for _, writing in ends:
            os.close(writing)
        found = set()
        for (reading, _), serial in zip(ends, serials):
            equal(portal.answer(serial)[0], 0, "response")
            with open(reading, "rb") as file:
                found.add(file.read())
    equal(len(found), 1, "different secrets")
    equal(len(client.found({"app_id": "org.example.Once"})), 1, "items")


@group("portal", gnome_keyring="it doesn't look whether there is room, and waits")
def portal_does_not_wait_for_a_full_pipe(client):
    with Portal() as portal:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while os.write(writing, bytes(4096)):
                pass
        os.set_blocking(writing, True)
        serial, _ = portal.ask("org.example.Full", writing)
        equal(portal.answer(serial)[0], 2, "response")
        os.close(reading)
        # Nobody reads what this one gets.
        serial, _ = portal.ask("org.example.Full", writing)
        equal(portal.answer(serial)[0], 2, "response")
        os.close(writing)
        equal(len(portal.secret_of("org.example.Full")), 64)


@group("portal", gnome_keyring="it takes whatever comes")
def wrong_calls_of_the_portal_are_refused(client):
    with Portal() as portal, open(os.devnull, "wb") as file:
        for program, handle, about in [
            ("x" * 256, None, "a long name"),
            ("org.example.Path", "/org/example", "a path elsewhere"),
            ("org.example.Path", ROOT, "the service's own path"),
        ]:
            serial, _ = portal.ask(program, file, handle)
            with refused(INVALID, about):
                portal.answer(serial)
        for signature, *body in [("s", "x"), ("osha{ss}", "/", "", file, {}), ("",)]:
            with refused(INVALID, "wrong types"):
                portal.call(PORTAL, IMPLEMENTATION + ".RetrieveSecret", signature, *body)
        with refused(NO_OBJECT, "another method"):
            portal.call(PORTAL, IMPLEMENTATION + ".Nothing")
        # A number of a file that isn't there: the body is made for one that is.
        equal(len(portal.secret_of("org.example.Afterwards")), 64)
    children = [node.get("name") for node in client.introspect("/org/freedesktop").findall("node")]
    equal(sorted(children), ["portal", "secrets"], "the way to both")
    interfaces = [each.get("name") for each in client.introspect(PORTAL).findall("interface")]
    demand(IMPLEMENTATION in interfaces, interfaces)
    equal(client.call(PORTAL, PROPERTIES + ".Get", "ss", IMPLEMENTATION, "version"), ("u", 1), "version")


# --- running them


def run(function, options):
    """Whether the demand is met."""
    reason = function.not_for.get(options.provider)
    if reason:
        print(f"skipped {function.title}: not for {options.provider}: {reason}", flush=True)
        return True
    if function.is_long and not IS_LONG:
        print(f"skipped {function.title}: only with LLAVERO_TEST_LONG=1", flush=True)
        return True
    needed = [name for name in ("state", "password", "answers") if name in function.__code__.co_varnames[: function.__code__.co_argcount]]
    values = [getattr(options, name) for name in needed]
    if None in values:
        print(f"skipped {function.title}: no --{needed[values.index(None)]} is given", flush=True)
        return True
    start = time.monotonic()
    try:
        with Client() as client:
            # OpenSession as the first message can end gnome-keyring.
            client.alias("default")
            function(client, *(value.encode() if name == "password" else value for name, value in zip(needed, values)))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)
        lines = ", ".join(str(frame.lineno) for frame in place if frame.filename == __file__)
        text = " ".join(f"{'' if isinstance(error, Unmet) else type(error).__name__ + ' '}{error}".split())
        print(f"not ok {function.title}: {text[:500]} (lines {lines})", flush=True)
        return False
    took = time.monotonic() - start
    print(f"ok {function.title}" + (f" ({took:.1f} s)" if took > 0.5 else ""), flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--provider", default="")
    parser.add_argument("--state")
    parser.add_argument("--password")
    parser.add_argument("--answers")
    options = parser.parse_args()
    chosen = [
        function
        for name, functions in GROUPS.items()
        for function in functions
        if name in options.names or function.title in options.names
    ]
    titles = {function.title for function in chosen}
    unknown = [name for name in options.names if name not in GROUPS and name not in titles]
    if unknown or not chosen:
        sys.exit("secret-service-demands.py: no such group or demand: " + " ".join(unknown))
    sys.exit(not all([run(function, options) for function in chosen]))


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    main()
