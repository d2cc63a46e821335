"""Is to libsecret's tests what their own service is: libsecret-service.py SCRIPT.

They start `python3 SCRIPT` for each test, read the unique name of a service from its output, and expect certain objects
there. This writes a vault with these objects as llavero-vault(5) says, because the tests know each item's path, serves
it with llavero, locks what has to be locked, and prints the service's name. It ends with the test.
"""

import base64
import ctypes
import hashlib
import hmac
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time

import pyrage
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from jeepney import DBusAddress, HeaderFields, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

ROOT = "/org/freedesktop/secrets"
SCHEMA, PRIMES = "org.mock.Schema", "org.mock.Primes"


def numbered(number, string, secret, label="Item", schema=SCHEMA, **more):
    """An item: its label, attributes and secret."""
    more = more or {"even": "false" if number % 2 else "true"}
    return label, {"number": str(number), "string": string, "xdg:schema": schema, **more}, secret


def plain(number, string, secret):
    label, attributes, secret = numbered(number, string, secret)
    del attributes["xdg:schema"]
    return label, attributes, secret


# collection: its label, and its items by the last part of their paths
USUAL = {
    "english": (
        "Collection One",
        {
            "1": numbered(1, "one", "111", "Item One"),
            "2": numbered(2, "two", "222", "Item Two"),
            "3": numbered(3, "three", "333", "Item Three"),
        },
    ),
    "spanish": (
        "Collection",
        {
            "10": numbered(1, "uno", "111"),
            "20": numbered(2, "dos", "222"),
            "30": numbered(3, "tres", "3333"),
        },
    ),
    "german": (
        "Collection",
        {
            "300": numbered(3, "drei", "333", schema=PRIMES, prime="true"),
            "400": numbered(4, "vier", "444", schema=PRIMES, prime="false"),
            "500": numbered(5, "fuenf", "555", schema=PRIMES, prime="true"),
            "600": numbered(6, "sechs", "666", schema=PRIMES, prime="false"),
        },
    ),
    "empty": ("Collection", {}),
}
MORE = {
    "mock-service-lock.py": {
        "lockone": ("Collection", {"item": plain(1, "one", "uno"), "confirm": plain(2, "two", "dos")}),
        "lockprompt": ("Collection", {"locked": plain(3, "three", "tres")}),
    },
    "mock-service-delete.py": {
        "todelete": ("Collection", {"item": plain(1, "one", "uno"), "confirm": plain(2, "two", "dos")}),
        "twodelete": ("Collection", {"locked": plain(3, "three", "tres")}),
    },
}
LOCKED = ["spanish", "german", "lockprompt", "twodelete"]


# --- the vault


def records(objects):
    date = "2026-01-01T00:00:00.000Z"
    for name, (label, items) in objects.items():
        dates = {"rev": 1, "created": date, "modified": date}
        yield {"k": f"collection {name}", "id": f"collection-{name}", **dates, "class": "collection", "name": name,
               "label": label, **({"isDefault": True} if name == "english" else {}), "secret": ""}
        for identifier, (label, attributes, secret) in items.items():
            item = hashlib.sha256(f"{name}/{identifier}".encode()).hexdigest()[:32]
            yield {"k": f"item {item}", "id": identifier, **dates, "class": "secret", "name": item, "label": label,
                   "collection": name, "lookupAttributes": attributes, "secret": secret}


def hkdf(key, salt, info):
    return hmac.digest(hmac.digest(salt, key, "sha256"), info + b"\x01", "sha256")


def unpadded(data):
    return base64.b64encode(data).rstrip(b"=")


def padded_size(size):
    if size <= 4096:
        return 4096
    exponent = size.bit_length() - 1
    step = 1 << exponent - exponent.bit_length()
    return -(-size // step) * step


def key_of(identity):
    """The bytes of an identity, which is bech32."""
    letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = "".join(f"{letters.index(each):05b}" for each in identity.lower().rsplit("1", 1)[1][:-6])
    return bytes(int(bits[at : at + 8], 2) for at in range(0, 256, 8))


def vault(objects, identity, uuid):
    key = key_of(identity)
    public = X25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw()
    file_key, nonce = secrets.token_bytes(16), secrets.token_bytes(16)
    ephemeral = X25519PrivateKey.generate()
    share = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public))
    wrapping = hkdf(shared, share + public, b"age-encryption.org/v1/X25519")
    body = ChaCha20Poly1305(wrapping).encrypt(bytes(12), file_key, None)
    header = b"age-encryption.org/v1\n-> X25519 %s\n%s\n" % (unpadded(share), unpadded(body))
    header += b"-> llavero/vault 1 %s\n\n---" % uuid.encode()
    mac = hmac.digest(hkdf(file_key, b"", b"header"), header, "sha256")

    lines = sorted(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in records(objects))
    proof = b"v1" + uuid.encode() + (1).to_bytes(8, "big") + nonce
    proof = hmac.digest(hkdf(key, uuid.encode(), b"llavero/vault/v1/auth"), proof, "sha256")
    first = {"app": "llavero", "v": 2, "min_reader": 2, "min_writer": 2, "uuid": uuid, "gen": 1, "prev": "",
             "written": "2026-01-01T00:00:00.000Z", "n": len(lines), "bytes": sum(map(len, lines)),
             "auth": base64.b64encode(proof).decode()}
    text = json.dumps(first, separators=(",", ":")).encode() + b"\n" + b"".join(lines)
    size = padded_size(len(text))
    if size > len(text):
        text = text.ljust(size - 1) + b"\n"
    assert len(text) <= 65536, "one chunk is enough here"
    payload = ChaCha20Poly1305(hkdf(file_key, nonce, b"payload")).encrypt(bytes(11) + b"\x01", text, None)
    return header + b" " + unpadded(mac) + b"\n" + nonce + payload


def write(path, data):
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


def write_vault(home, objects):
    identity, uuid = str(pyrage.x25519.Identity.generate()), "01234567-89ab-4def-8123-456789abcdef"
    write(home + "/state/llavero/identity.txt", f"# llavero vault {uuid}\n{identity}\n".encode())
    write(home + "/data/llavero/vault.age", vault(objects, identity, uuid))


# --- the service


def owner(bus):
    reply = bus.send_and_get_reply(message_bus.GetNameOwner("org.freedesktop.secrets"))
    return reply.body[0] if HeaderFields.error_name not in reply.header.fields else None


def main():
    script = os.path.basename(sys.argv[1])
    objects = {} if script == "mock-service-empty.py" else {**USUAL, **MORE.get(script, {})}
    # The test ends this process by that.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(dir=os.environ["HOME"]) as home:
        write_vault(home, objects)
        with open_dbus_connection("SESSION") as bus:
            before = owner(bus)
            service = subprocess.Popen(
                ["llavero", "serve", "--keychain", "file", "--replace"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                env={**os.environ, "XDG_DATA_HOME": home + "/data", "XDG_STATE_HOME": home + "/state"},
                preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM))
            try:
                while owner(bus) in (before, None):
                    if service.poll() is not None:
                        sys.exit("llavero serve has ended")
                    time.sleep(0.01)
                locked = [f"{ROOT}/collection/{name}" for name in LOCKED if name in objects]
                address = DBusAddress(ROOT, bus_name="org.freedesktop.secrets", interface="org.freedesktop.Secret.Service")
                reply = bus.send_and_get_reply(new_method_call(address, "Lock", "ao", (locked,)))
                if reply.body != (locked, "/"):
                    sys.exit(f"Lock answers {reply.body}")
                print(owner(bus), flush=True)
                service.wait()
            finally:
                service.terminate()
                service.wait()


main()
