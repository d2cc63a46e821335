"""A client of the Secret Service on the session bus, for the programs here that load it."""

import contextlib
import hashlib
import hmac
import os
import secrets
import time

from jeepney import DBusAddress, HeaderFields, MatchRule, MessageType, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
LOGIN = ROOT + "/collection/login"
DEFAULT, SESSION = ROOT + "/aliases/default", ROOT + "/collection/session"
API = "org.freedesktop.Secret."
PROPERTIES = "org.freedesktop.DBus.Properties"
GUILT_RIDDEN = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
PLAIN, ENCRYPTED = "plain", "dh-ietf1024-sha256-aes128-cbc-pkcs7"
GENERIC = "org.freedesktop.Secret.Generic"
PORTAL = "/org/freedesktop/portal/desktop"
IMPLEMENTATION = "org.freedesktop.impl.portal.Secret"
PATIENCE = 30

# RFC 2409, 6.2
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF",
    16,
)

ERROR = "org.freedesktop.DBus.Error."
INVALID = {ERROR + "InvalidArgs"}
NOT_SUPPORTED = {ERROR + "NotSupported"}
NO_SESSION = {API + "Error.NoSession"}
IS_LOCKED = {API + "Error.IsLocked"}
DENIED = {ERROR + "AccessDenied"}
NO_OBJECT = {ERROR + "UnknownMethod", ERROR + "UnknownObject", API + "Error.NoSuchObject"}


class Unmet(Exception):
    pass


class Refused(Exception):
    """An error that the service answered."""

    def __init__(self, name, text):
        super().__init__(f"{name} {text}")
        self.name = name


def demand(what, *about):
    """The demand isn't met unless `what` is true."""
    if not what:
        raise Unmet(" ".join(str(each)[:300] for each in about))


def equal(found, expected, about="found"):
    demand(found == expected, about, repr(found)[:200], "in place of", repr(expected)[:200])


@contextlib.contextmanager
def refused(names, about):
    """What is done in here is refused, by one of these errors."""
    try:
        yield
    except Refused as error:
        demand(error.name in names, about + ":", error, "in place of", *sorted(names))
        return
    raise Unmet(about + ": not refused")


class Client:
    """A connection to the bus."""

    def __init__(self, **options):
        self.bus = open_dbus_connection("SESSION", **options)
        self.signals = []
        self.ended = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bus.close()

    def call(self, path, method, signature=None, *body, timeout=PATIENCE):
        """Calls `Interface.Method`, where the interface may lack `org.freedesktop.Secret.`; a list of what it answers,
        or what that is if it is a single value."""
        return self.send(self.message(path, method, signature, *body), timeout)

    def message(self, path, method, signature=None, *body):
        interface, _, member = method.rpartition(".")
        address = DBusAddress(path, bus_name=NAME, interface=interface if "." in interface else API + interface)
        return new_method_call(address, member, signature, body)

    def begin(self, message):
        """Sends it without waiting for the answer; its number."""
        serial = next(self.bus.outgoing_serial)
        self.bus.send(message, serial=serial)
        return serial

    def at_once(self, *calls):
        """Makes calls, each a path, a method, a signature and its arguments, without waiting for any; what each answers."""
        return [self.answer(serial) for serial in [self.begin(self.message(*call)) for call in calls]]

    def send(self, message, timeout=PATIENCE):
        return self.answer(self.begin(message), timeout)

    def answer(self, serial, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while True:
            for reply in self.ended:
                if reply.header.fields.get(HeaderFields.reply_serial) == serial:
                    self.ended.remove(reply)
                    if reply.header.message_type == MessageType.error:
                        raise Refused(reply.header.fields[HeaderFields.error_name], " ".join(map(str, reply.body)))
                    return reply.body[0] if len(reply.body) == 1 else list(reply.body)
            self.receive(end)

    def receive(self, end):
        try:
            message = self.bus.receive(timeout=max(0.001, end - time.monotonic()))
        except TimeoutError:
            raise Unmet("no answer") from None
        if message.header.message_type == MessageType.signal:
            self.signals.append(Signal(message))
        else:
            self.ended.append(message)

    def listen(self):
        """From now on all signals of the service are in `signals`."""
        self.send(message_bus.AddMatch(MatchRule(type="signal", sender=NAME)))
        # What came before the rule is over when the service has answered something after it.
        self.alias("default")
        self.signals.clear()
        return self

    def wait_for(self, *descriptions, seconds=10):
        """Waits for the signals with these descriptions."""
        end = time.monotonic() + seconds
        while any(each not in self.described() for each in descriptions):
            try:
                self.receive(end)
            except Unmet:
                missing = [each for each in descriptions if each not in self.described()]
                raise Unmet("no signal", missing, "among", self.described()) from None

    def described(self):
        return [description for signal in self.signals for description in signal.descriptions()]

    # What is asked often

    def process(self):
        return self.send(message_bus.GetConnectionUnixProcessID(NAME))

    def alias(self, name):
        return self.call(ROOT, "Service.ReadAlias", "s", name)

    def get(self, path, interface, name):
        return self.call(path, PROPERTIES + ".Get", "ss", API + interface, name)

    def all(self, path, interface):
        """The values of all properties, by GetAll."""
        return {name: value for name, (_, value) in self.all_typed(path, interface).items()}

    def all_typed(self, path, interface):
        return self.call(path, PROPERTIES + ".GetAll", "s", API + interface)

    def attributes(self, item):
        """Without the generic schema, which gnome-keyring adds where there is none."""
        found = self.get(item, "Item", "Attributes")[1]
        return {name: value for name, value in found.items() if (name, value) != ("xdg:schema", GENERIC)}

    def set(self, path, interface, name, signature, value):
        return self.call(path, PROPERTIES + ".Set", "ssv", API + interface, name, (signature, value))

    def collections(self):
        return self.get(ROOT, "Service", "Collections")[1]

    def items(self, collection=DEFAULT):
        return self.get(collection, "Collection", "Items")[1]

    def session(self, algorithm=PLAIN, private=None):
        return Session(self, algorithm, private)

    def create(self, attributes, secret=b"secret", label="a label", replace=False, collection=DEFAULT, session=None, kind="text/plain"):
        """Makes an item, and gives its path."""
        values = {API + "Item.Label": ("s", label), API + "Item.Attributes": ("a{ss}", attributes)}
        return self.create_with(values, secret, replace, collection, session, kind)

    def create_with(self, values, secret=b"secret", replace=False, collection=DEFAULT, session=None, kind="text/plain"):
        sealed = (session or self.session()).seal(secret, kind)
        item, prompt = self.call(collection, "Collection.CreateItem", "a{sv}(oayays)b", values, sealed, replace)
        equal(prompt, "/", "a prompt of CreateItem")
        demand(item != "/", "no item")
        return item

    def secret(self, item, session=None):
        return self.secret_and_kind(item, session)[0]

    def secret_and_kind(self, item, session=None):
        session = session or self.session()
        return session.open(self.call(item, "Item.GetSecret", "o", session.path))

    def secrets(self, items, session=None):
        session = session or self.session()
        found = self.call(ROOT, "Service.GetSecrets", "aoo", items, session.path)
        return {path: session.open(sealed)[0] for path, sealed in found.items()}

    def set_secret(self, item, secret, session=None, kind="text/plain"):
        self.call(item, "Item.SetSecret", "(oayays)", (session or self.session()).seal(secret, kind))

    def delete(self, item):
        equal(self.call(item, "Item.Delete"), "/", "a prompt of Delete")

    def found(self, attributes):
        """The paths of unlocked items with these attributes."""
        unlocked, locked = self.call(ROOT, "Service.SearchItems", "a{ss}", attributes)
        equal(locked, [], "locked")
        return unlocked

    def found_in(self, collection, attributes):
        return self.call(collection, "Collection.SearchItems", "a{ss}", attributes)

    def contents(self):
        """Label, attributes and secret of each item, by path."""
        found = self.secrets(self.found({}))
        return {path: (self.get(path, "Item", "Label")[1], self.get(path, "Item", "Attributes")[1], secret)
                for path, secret in found.items()}  # fmt: skip

    def unlock(self, *objects):
        return self.call(ROOT, "Service.Unlock", "ao", list(objects))

    def unlock_with(self, password, collection, session=None):
        secret = (session or self.session()).seal(password)
        self.call(ROOT, GUILT_RIDDEN + ".UnlockWithMasterPassword", "o(oayays)", collection, secret)

    def lock(self, *objects):
        return self.call(ROOT, "Service.Lock", "ao", list(objects))

    def introspect(self, path):
        from xml.etree import ElementTree

        return ElementTree.fromstring(self.call(path, "org.freedesktop.DBus.Introspectable.Introspect"))

    def prompted(self, prompt):
        """Shows a prompt, and waits for its end: whether it was dismissed, and its result with its type."""
        rule = MatchRule(type="signal", interface=API + "Prompt", path=prompt)
        self.send(message_bus.AddMatch(rule))
        self.call(prompt, "Prompt.Prompt", "s", "")
        return self.completed(prompt)

    def completed(self, prompt):
        end = time.monotonic() + PATIENCE
        while True:
            for signal in self.signals:
                if (signal.path, signal.member) == (prompt, "Completed"):
                    return signal.body
            self.receive(end)

    def create_collection(self, label, alias=""):
        """Makes a collection, and gives its path. Where a service cannot ask for a password, it is told one."""
        values = {API + "Collection.Label": ("s", label)}
        path, prompt = self.call(ROOT, "Service.CreateCollection", "a{sv}s", values, alias)
        if prompt != "/":
            equal(path, "/", "a path beside a prompt")
            dismissed, (kind, path) = self.prompted(prompt)
            equal(kind, "o", "type of the prompt's result")
            if dismissed:
                equal(path, "/", "result of a dismissed prompt")
                password = self.session().seal(b"password")
                path = self.call(ROOT, GUILT_RIDDEN + ".CreateWithMasterPassword", "a{sv}(oayays)", values, password)
        demand(path != "/", "no collection")
        return path

    def delete_collection(self, path):
        prompt = self.call(path, "Collection.Delete")
        if prompt != "/":
            dismissed, _ = self.prompted(prompt)
            demand(not dismissed, "a dismissed deletion")


class Signal:
    def __init__(self, message):
        fields = message.header.fields
        self.path, self.member = fields[HeaderFields.path], fields[HeaderFields.member]
        self.interface, self.body = fields[HeaderFields.interface], message.body

    def descriptions(self):
        """`Member PATH` for signals of collections and the service; `PATH Property` for each changed property."""
        if self.interface == PROPERTIES:
            _, changed, invalidated = self.body
            return [f"{self.path} {name}" for name in [*changed, *invalidated]]
        return [" ".join([self.member, *(str(each) for each in self.body)])]


class Portal(Client):
    """A connection that calls as xdg-desktop-portal does."""

    def __init__(self):
        super().__init__(enable_fds=True)
        self.last = 0

    def ask(self, program, file, handle=None):
        """Asks for the secret of a program, which is written to a file; the serial number, and the request's path."""
        self.last += 1
        handle = handle or f"{PORTAL}/request/1_1/{self.last}"
        return self.begin(self.message(PORTAL, IMPLEMENTATION + ".RetrieveSecret", "osha{sv}", handle, program, file, {})), handle

    def secret_of(self, program):
        """What a program gets."""
        reading, writing = os.pipe()
        serial, _ = self.ask(program, writing)
        os.close(writing)
        with open(reading, "rb") as file:
            response, results = self.answer(serial)
            equal((response, results), (0, {}), "response")
            # It ends only if the service has closed its end.
            return file.read()


class Session:
    """A session and its key. `private` is the number from which the public key is made."""

    def __init__(self, client, algorithm=PLAIN, private=None):
        self.client, self.key = client, None
        if algorithm == PLAIN:
            (self.kind, self.output), self.path = client.call(ROOT, "Service.OpenSession", "sv", PLAIN, ("s", ""))
            return
        private = private or secrets.randbits(256)
        public = pow(2, private, PRIME)
        value = public.to_bytes((public.bit_length() + 7) // 8, "big")
        (self.kind, output), self.path = client.call(ROOT, "Service.OpenSession", "sv", ENCRYPTED, ("ay", value))
        equal(self.kind, "ay", "type of the public key")
        self.output = bytes(output)
        shared = pow(int.from_bytes(self.output, "big"), private, PRIME)
        # HKDF-SHA256 with an empty salt and no information.
        extracted = hmac.digest(bytes(32), shared.to_bytes(128, "big"), hashlib.sha256)
        self.key = hmac.digest(extracted, b"\x01", hashlib.sha256)[:16]

    def close(self):
        self.client.call(self.path, "Session.Close")

    def cipher(self, iv):
        # Not for the many short runs that need none.
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        return Cipher(algorithms.AES(self.key), modes.CBC(iv))

    def encrypt(self, padded, iv):
        encryptor = self.cipher(iv).encryptor()
        return encryptor.update(padded) + encryptor.finalize()

    def seal(self, secret, kind="text/plain"):
        if not self.key:
            return self.path, b"", secret, kind
        padding = 16 - len(secret) % 16
        iv = secrets.token_bytes(16)
        return self.path, iv, self.encrypt(secret + bytes([padding]) * padding, iv), kind

    def open(self, sealed):
        path, iv, value, kind = sealed
        iv, value = bytes(iv), bytes(value)
        equal(path, self.path, "session of the secret")
        if not self.key:
            equal(iv, b"", "parameters of a plain secret")
            return value, kind
        equal(len(iv), 16, "length of the IV")
        demand(len(value) >= 16 and len(value) % 16 == 0, "length of the value:", len(value))
        decryptor = self.cipher(iv).decryptor()
        padded = decryptor.update(value) + decryptor.finalize()
        length = padded[-1]
        demand(1 <= length <= 16 and padded.endswith(bytes([length]) * length), "padding", padded[-16:])
        return padded[:-length], kind


def until(what, about, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        demand(time.monotonic() < end, "in vain:", about)
        time.sleep(0.005)


def is_running(process):
    """Zombies aren't."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill(process):
    """Kills the service; a call that reaches the bus before it knows of that gets an error."""
    os.kill(process, 9)
    until(lambda: not is_running(process), f"the end of {process}")
    with Client() as client:
        until(lambda: not client.send(message_bus.NameHasOwner(NAME)), "the end of its name")
