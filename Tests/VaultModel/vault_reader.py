"""Reads vaults by llavero-vault(5) alone, and compares what is in them with what should be.

Each line of standard input names a vault, its identity file and a file with the expected records, with tabs between;
the reply is `ok`, or `bad: ` and what is wrong. Decryption is pyrage's, an age of its own.
"""

import base64
import hashlib
import hmac
import json
import sys
from datetime import datetime

import pyrage

CHUNK = 65536
PORTS = dict(https=443, http=80, ssh=22, sftp=22, ftp=21, ftps=990, git=9418, smtp=25, smtps=465, imap=143,
             imaps=993, pop3=110, pop3s=995, ldap=389, ldaps=636, svn=3690, socks5=1080)


class Bad(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Bad(text)


def bech32(text):
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = "".join(f"{alphabet.index(c):05b}" for c in text.lower().rsplit("1", 1)[1][:-6])
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits) // 8 * 8, 8))[:32]


def hkdf(key, salt, info):
    extracted = hmac.digest(salt, key, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def unpadded(text):
    return base64.b64decode(text + b"=" * (-len(text) % 4))


def milliseconds(text):
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    span = moment - datetime(1970, 1, 1)
    return (span.days * 86400 + span.seconds) * 1000 + span.microseconds // 1000


def value(record, name):
    """The bytes of a member, be it text or base64; None if it is absent."""
    if name in record:
        return record[name].encode()
    if name + "_b64" in record:
        return base64.b64decode(record[name + "_b64"], validate=True)
    return None


def escaped(part):
    if part is None:
        return b""
    if not part:
        return b"%"
    return b"".join(b"%%%02X" % c if c <= 0x22 or c >= 0x7F or c in b"%\\" else bytes([c]) for c in part)


def lower(part):
    return None if part is None else bytes(c + 32 if 65 <= c <= 90 else c for c in part)


def members(record, name):
    """An object of attributes by their tags, as bytes."""
    result = {}
    for tag in record.get(name, {}):
        tag = tag.removesuffix("_b64")
        result[tag] = value(record[name], tag)
    return result


def key_of(record):
    kind = record["class"]
    if kind == "internet":
        protocol = lower(value(record, "protocol"))
        port = record.get("port", PORTS.get(protocol.decode(errors="replace")))
        parts = [b"internet", escaped(lower(value(record, "server"))), escaped(protocol),
                 b"" if port is None else b"%d" % port]
        parts += [escaped(value(record, n)) for n in ("securityDomain", "account", "path", "authenticationType")]
        key = b" ".join(parts)
    elif kind == "generic":
        key = b" ".join([b"generic", escaped(value(record, "service")), escaped(value(record, "account"))])
    elif kind in ("secret", "collection"):
        key = (b"item " if kind == "secret" else b"collection ") + escaped(value(record, "name"))
    else:
        attributes = sorted(members(record, "primaryAttributes").items())
        key = kind.encode() + b" " + b"%,".join(tag.encode() + b"=" + escaped(v) for tag, v in attributes)
    group = value(record, "accessGroup")
    if group is not None:
        key += b"%@" + escaped(group)
    return key + (b"%1" if record.get("isSynchronizable") else b"")


def padded_size(size):
    if size <= 4096:
        return 4096
    e = size.bit_length() - 1
    mask = (1 << (e - e.bit_length())) - 1
    return (size + mask) & ~mask


def check_proof(data, first, identity):
    end = data.index(b"\n--- ")
    mac = unpadded(data[end + 5:data.index(b"\n", end + 5)])
    nonce = data[data.index(b"\n", end + 5) + 1:][:16]
    previous = base64.b64decode(first["prev"])
    key = hkdf(identity, first["uuid"].encode(), b"llavero/vault/v1/auth")
    message = b"v1" + first["uuid"].encode() + first["gen"].to_bytes(8, "big") + previous + nonce
    need(base64.b64decode(first["auth"]) == hmac.digest(key, message, "sha256"), "the proof is wrong")
    return mac


def check_index(text, first, start, lines):
    """Every key is found by the index, and the layout is the one that a reader of parts relies on."""
    need(start % CHUNK == 0 and len(text) % CHUNK == 1 and text[-1:] == b"\n", "the layout of a large vault is wrong")
    entries = [entry.split(" ", 1) for entry in first["index"].split("!")]
    entries = [(int(offset), separator.encode()) for offset, separator in entries]
    offset, heads, before = 0, [], b""
    for line, key in lines:
        size = len(line.rstrip(b" \n")) + 1
        place = offset % CHUNK
        need(place + size <= CHUNK or (place == 0 and size > CHUNK), "a record goes over a chunk's end")
        if not heads or heads[-1][0] // CHUNK != offset // CHUNK:
            heads.append((offset, key, before))
        before = key
        offset += len(line)
    need([h[0] for h in heads] == [e[0] for e in entries], "the index has other entries")
    offsets, at = [], 0
    for line, key in lines:
        offsets.append((at, key))
        at += len(line)
    for wanted in {b" ".join(key.split(b" ")[:4]) + b" " for _, key in lines} | {key for _, key in lines}:
        begin = max([0] + [i for i, (_, s) in enumerate(entries) if s < wanted])
        end = next((i for i, (_, s) in enumerate(entries) if s > wanted and not s.startswith(wanted)), None)
        low, high = entries[begin][0], at if end is None else entries[end][0]
        for place, key in offsets:
            need(not key.startswith(wanted) or low <= place < high, "the index does not lead to a record")


def canonical(record):
    retired = record["k"].startswith("old ")
    fields = ["old" if retired else "use", record["id"], str(record["rev"])]
    fields += [str(milliseconds(record[n])) if n in record else "0" for n in ("created", "modified")]
    fields.append(key_of(record).hex())
    for name in ("label", "comment", "description", "creator", "type"):
        text = value(record, name)
        fields.append("-" if text is None else text.hex())
    fields.append("default" if record.get("isDefault") else "-")
    attributes = sorted(members(record, "attributes").items())
    fields.append(",".join(f"{tag}={v.hex()}" for tag, v in attributes) or "-")
    for name in ("collection", "contentType"):
        text = value(record, name)
        fields.append("-" if text is None else text.hex())
    lookup = record.get("lookupAttributes")
    pairs = sorted(f"{n.encode().hex()}={v.encode().hex()}" for n, v in (lookup or {}).items())
    fields.append("-" if lookup is None else "{" + ",".join(pairs) + "}")
    for name in ("secret", "oauth_refresh_token", "authtype"):
        text = value(record, name)
        fields.append("-" if text is None else hashlib.sha256(text).hexdigest()[:16] + f":{len(text)}")
    fields.append(str(record.get("password_expiry_utc", "-")))
    fields += [str(milliseconds(record["retired"])), record["why"]] if retired else []
    return "\t".join(fields)


def read(vault, identity_file):
    with open(vault, "rb") as file:
        data = file.read()
    with open(identity_file) as file:
        secret = next(line.strip() for line in file if line.startswith("AGE-SECRET-KEY-1"))
    text = pyrage.decrypt(data, [pyrage.x25519.Identity.from_str(secret)])
    start = text.index(b"\n") + 1
    first = json.loads(text[:start])
    need(first["app"] == "llavero" and first["v"] in (1, 2) and first["min_reader"] <= 2, "the first line is wrong")
    check_proof(data, first, bech32(secret))
    body = text[start:start + first["bytes"]]
    need(not text[start + len(body):].strip(b" \n"), "something follows the records")
    lines = [line + b"\n" for line in body.split(b"\n")[:-1]]
    need(body == b"".join(lines) and len(lines) == first["n"], "the number of records is wrong")
    need(lines == sorted(lines), "the records are out of order")
    large = sum(len(line.rstrip(b" \n")) + 1 for line in lines) > 261120
    if not large:
        need(len(text) == padded_size(start + len(body)), "the padding is wrong")
    records, keyed = [], []
    for line in lines:
        need(line.startswith(b'{"k":"'), "a record begins otherwise")
        record = json.loads(line)
        old = record["k"].startswith("old ")
        need(record["k"].removeprefix("old ").encode() == key_of(record), "a key is not that of its attributes")
        keyed.append((line, record["k"].encode()))
        records.append(record)
        need(old == ("retired" in record), "a record is neither in use nor out of use")
    need(sum(r["k"].startswith("old ") for r in records) == first.get("old", 0), "the number of old records is wrong")
    out_of_use = [line[:line.rindex(b',"retired":"')] for line, key in keyed if key.startswith(b"old ")]
    need(len(set(out_of_use)) == len(out_of_use), "a record is out of use twice")
    in_use = [key_of(r) for r in records if not r["k"].startswith("old ")]
    need(len(set(in_use)) == len(in_use), "two items have one key")
    need(large == ("index" in first), "the index is missing, or should be")
    if large:
        check_index(text, first, start, keyed)
    return sorted(canonical(record) for record in records)


def main():
    for line in sys.stdin:
        vault, identity, expected = line.rstrip("\n").split("\t")
        try:
            found = read(vault, identity)
            with open(expected) as file:
                wanted = sorted(file.read().splitlines())
            lacking = [r for r in wanted if r not in found]
            more = [r for r in found if r not in wanted]
            need(found == wanted, f"lacking {lacking[:3]}, more {more[:3]}, {len(found)} of {len(wanted)}")
            print("ok", flush=True)
        except Exception as error:
            print(f"bad: {type(error).__name__}: {error}".replace("\n", " "), flush=True)


main()
