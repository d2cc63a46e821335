#!/usr/bin/env python3
"""A small Secret Service in memory that misbehaves as the options say.

It holds one item: https, example.com, alice. Methods are named without their interface.
"""

import argparse
import sys
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from jeepney import HeaderFields, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import open_dbus_connection
from secretstorage.dhcrypto import Session
from secretstorage.util import format_secret

ROOT = "/org/freedesktop/secrets"
COLLECTION = ROOT + "/collection/login"
PROMPT = ROOT + "/prompt/p1"
API = "org.freedesktop.Secret."
SECRET = b"correct-horse-battery-staple"
ATTRIBUTES = {
    "protocol": "https",
    "server": "example.com",
    "user": "alice",
    "xdg:schema": "org.gnome.keyring.NetworkPassword",
}


class Refusal(Exception):
    pass


class Item:
    def __init__(self, attributes, label, secret):
        self.secret = secret
        now = ("t", int(time.time()))
        self.properties = {"Attributes": ("a{ss}", attributes), "Label": ("s", label), "Created": now, "Modified": now}


class Service:
    """Each method takes the path that was called and the arguments, and returns a signature and a body."""

    def __init__(self, options):
        self.items = {COLLECTION + "/1": Item(dict(ATTRIBUTES), "https://example.com (alice)", SECRET)}
        self.count = 1
        self.sessions = {}
        self.locked = options.locked
        self.encrypts = not options.plain

    def OpenSession(self, path, algorithm, value):
        session = Session()
        session.object_path = "%s/session/s%d" % (ROOT, len(self.sessions) + 1)
        session.encrypted = algorithm != "plain"
        answer = ("s", "")
        if session.encrypted:
            if not self.encrypts or algorithm != "dh-ietf1024-sha256-aes128-cbc-pkcs7":
                raise Refusal("org.freedesktop.DBus.Error.NotSupported")
            session.set_server_public_key(int.from_bytes(bytes(value[1]), "big"))
            answer = ("ay", session.my_public_key.to_bytes(128, "big"))
        self.sessions[session.object_path] = session
        return "vo", (answer, session.object_path)

    def ReadAlias(self, path, name):
        return "o", (COLLECTION if name == "default" else "/",)

    def SearchItems(self, path, attributes):
        wanted = attributes.items()
        found = [each for each, item in self.items.items() if wanted <= item.properties["Attributes"][1].items()]
        if path != ROOT:
            return "ao", (found,)
        return "aoao", ([], found) if self.locked else (found, [])

    def Unlock(self, path, objects):
        return "aoo", ([], PROMPT) if self.locked else (objects, "/")

    def Prompt(self, path, window):
        return "", ()

    def Dismiss(self, path):
        return "", ()

    def GetSecret(self, path, session):
        self.refuse_while_locked()
        return "(oayays)", (format_secret(self.sessions[session], self.items[path].secret, "text/plain"),)

    def SetSecret(self, path, secret):
        self.refuse_while_locked()
        self.items[path].secret = self.opened(secret)
        self.items[path].properties["Modified"] = ("t", int(time.time()))
        return "", ()

    def CreateItem(self, path, properties, secret, replace):
        self.refuse_while_locked()
        self.count += 1
        item = "%s/%d" % (COLLECTION, self.count)
        attributes = properties[API + "Item.Attributes"][1]
        self.items[item] = Item(attributes, properties[API + "Item.Label"][1], self.opened(secret))
        return "oo", (item, "/")

    def Delete(self, path):
        self.refuse_while_locked()
        del self.items[path]
        return "o", ("/",)

    def Lock(self, path, objects):
        """Says that it has locked them, and has not."""
        return "aoo", (objects, "/")

    def Get(self, path, interface, name):
        return "v", (self.properties(path)[name],)

    def GetAll(self, path, interface):
        return "a{sv}", (self.properties(path),)

    def Set(self, path, interface, name, value):
        self.refuse_while_locked()
        self.items[path].properties[name] = value
        return "", ()

    def properties(self, path):
        if path == ROOT:
            return {"Collections": ("ao", [COLLECTION])}
        if path.startswith(COLLECTION + "/"):
            return {**self.items[path].properties, "Locked": ("b", self.locked)}
        return {
            "Items": ("ao", list(self.items)),
            "Label": ("s", "Login"),
            "Locked": ("b", self.locked),
            "Created": ("t", 0),
            "Modified": ("t", 0),
        }

    def opened(self, secret):
        session, iv, value, _ = secret
        if not self.sessions[session].encrypted:
            return bytes(value)
        decryptor = Cipher(algorithms.AES(self.sessions[session].aes_key), modes.CBC(bytes(iv))).decryptor()
        padded = decryptor.update(bytes(value)) + decryptor.finalize()
        return padded[: -padded[-1]]

    def refuse_while_locked(self):
        if self.locked:
            raise Refusal(API + "Error.IsLocked")


def reply(service, options, call, method, path):
    if method in options.refuse:
        return new_error(call, options.refuse[method], "s", ("it was told to refuse",))
    if method == "Ping":
        return new_method_return(call)
    try:
        signature, body = getattr(service, method)(path, *call.body)
    except Refusal as refusal:
        return new_error(call, str(refusal), "s", (method + " is refused",))
    except (AttributeError, KeyError):
        return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod", "s", ("no " + method + " at " + path,))
    return new_method_return(call, signature or None, body)


def serve(options):
    service = Service(options)
    log = open(options.log, "w", encoding="utf-8") if options.log else None
    answered = 0
    with open_dbus_connection("SESSION") as connection:
        # Calls can arrive before the reply to this.
        connection.send(message_bus.RequestName("org.freedesktop.secrets"))
        while True:
            call = connection.receive()
            if call.header.message_type != MessageType.method_call:
                continue
            method, path = call.header.fields[HeaderFields.member], call.header.fields[HeaderFields.path]
            if log:
                print(method, file=log, flush=True)
            if method in options.silent or (options.answer is not None and answered >= options.answer):
                continue
            answered += 1
            connection.send(reply(service, options, call, method, path))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--answer", type=int, metavar="N", help="go silent after N answers")
parser.add_argument("--silent", action="append", default=[], metavar="METHOD", help="never answer it")
parser.add_argument("--refuse", action="append", default=[], metavar="METHOD=ERROR")
parser.add_argument("--plain", action="store_true", help="know no encrypted sessions")
parser.add_argument("--locked", action="store_true", help="and its prompts never end")
parser.add_argument("--log", metavar="FILE", help="write the names of the methods that are called")
arguments = parser.parse_args()
arguments.refuse = dict(pair.split("=", 1) for pair in arguments.refuse)
try:
    serve(arguments)
except (ConnectionResetError, BrokenPipeError):
    sys.exit("the bus is gone")
