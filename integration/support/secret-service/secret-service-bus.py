"""A client of the Secret Service on the session bus, with a plain session: for other programs here, which load it."""

import os
import time

from jeepney import DBusAddress, HeaderFields, MatchRule, MessageType, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
LOGIN = ROOT + "/collection/login"
API = "org.freedesktop.Secret."
PROPERTIES = "org.freedesktop.DBus.Properties"


class Refused(Exception):
    """An error in place of an answer."""

    def __init__(self, name, text):
        super().__init__(f"{name} {text}")
        self.name = name


class Client:
    def __init__(self):
        self.bus = open_dbus_connection("SESSION")
        self.signals = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bus.close()

    def send(self, address, member, signature=None, *body, timeout=60):
        serial = next(self.bus.outgoing_serial)
        self.bus.send(new_method_call(address, member, signature, body), serial=serial)
        end = time.monotonic() + timeout
        while True:
            message = self.bus.receive(timeout=max(0, end - time.monotonic()))
            fields = message.header.fields
            if message.header.message_type == MessageType.signal:
                self.signals.append((fields[HeaderFields.path], fields[HeaderFields.member], message.body))
            elif fields.get(HeaderFields.reply_serial) == serial:
                break
        if message.header.message_type == MessageType.error:
            raise Refused(fields[HeaderFields.error_name], message.body)
        return message.body[0] if len(message.body) == 1 else message.body

    def call(self, path, method, signature=None, *body):
        """Calls `Interface.Method`; of an interface of the service the first part can be left out."""
        interface, _, member = method.rpartition(".")
        if "." not in interface:
            interface = API + interface
        return self.send(DBusAddress(path, NAME, interface), member, signature, *body)

    def of_bus(self, member, *words):
        address = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        return self.send(address, member, "s" * len(words), *words)

    def listen(self):
        """Signals of the service are in `signals` from now on."""
        rule = MatchRule(type="signal", sender=NAME)
        self.of_bus("AddMatch", rule.serialise())

    def signal(self, member, timeout=60):
        """The path and the values of the next such signal."""
        end = time.monotonic() + timeout
        while True:
            for signal in self.signals:
                if signal[1] == member:
                    self.signals.remove(signal)
                    return signal[0], signal[2]
            message = self.bus.receive(timeout=max(0, end - time.monotonic()))
            if message.header.message_type == MessageType.signal:
                fields = message.header.fields
                self.signals.append((fields[HeaderFields.path], fields[HeaderFields.member], message.body))

    def session(self):
        return self.call(ROOT, "Service.OpenSession", "sv", "plain", ("s", ""))[1]

    def process(self):
        return self.of_bus("GetConnectionUnixProcessID", NAME)

    def create(self, label, attributes, secret, collection=LOGIN, replaces=True):
        properties = {API + "Item.Label": ("s", label), API + "Item.Attributes": ("a{ss}", attributes)}
        return self.call(collection, "Collection.CreateItem", "a{sv}(oayays)b", properties,
                         (self.session(), b"", secret, "text/plain"), replaces)[0]  # fmt: skip

    def set_secret(self, path, secret):
        self.call(path, "Item.SetSecret", "(oayays)", (self.session(), b"", secret, "text/plain"))

    def items(self, attributes=None):
        """Label, attributes and secret of each item, by path."""
        session = self.session()
        found, locked = self.call(ROOT, "Service.SearchItems", "a{ss}", attributes or {})
        assert not locked, "it is locked"
        all_secrets = self.call(ROOT, "Service.GetSecrets", "aoo", found, session)
        items = {}
        for path in found:
            values = self.call(path, PROPERTIES + ".GetAll", "s", API + "Item")
            items[path] = (values["Label"][1], values["Attributes"][1], bytes(all_secrets[path][2]))
        return items


def owned(client):
    return bool(client.of_bus("NameHasOwner", NAME))


def wait_until(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("in vain: " + what)
        time.sleep(0.005)


def is_running(process):
    """Zombies aren't."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def end(process):
    """Ends the service; a call that reaches the bus before it knows of that gets an error."""
    os.kill(process, 15)
    is_over(process)


def is_over(process):
    wait_until(lambda: not is_running(process), f"the end of {process}")
    with Client() as client:
        wait_until(lambda: not owned(client), "the end of its name")
