#!/usr/bin/env python3
"""Speaks with the agent that forwards a keychain, also as nobody should: agent-forward.py SOCKET STEP...

With RELAY in the environment, that program connects in its place, as an ssh does for the other side.

Prints a line for each step: the type of the reply, and what follows of JSON; or `end` if the agent hung up.

  bind KEYFILE SESSION FLAG   a bind for a session of this name, with this flag; ends with `, bad` for a wrong signature
  forge KEYFILE SESSION SEED  such a bind with one bit of the host's key, the session or the signature changed
  replay FILE                 sends the bytes of a file as they are
  save FILE                   the last bind, into a file
  query                       the names of the extensions
  ask JSON                    a request for the keychain
  begin JSON                  the same, whose first reply counts, even if it says to wait
  get URL-LIKE-HOST [TOOL]    such a request for the logins of a host
  list                        such a request for everything
  raw HEX                     bytes as they are, without waiting
  wait                        the next reply
  big SIZE                    a frame of this size, of no known type
  identities                  what ssh asks first: the list of keys
  add HOST SIZE ACCOUNT       a request to add a login, whose reply isn't waited for
  idle COUNT                  so many further connections, of which every other one has begun to say something
  crowd COUNT HOST            so many further connections that ask for the logins of a host, and don't wait for the reply
  flood SIZE                  requests of so many bytes, or as many as the other side takes, and no reply is read
  close                       hangs up, and connects again
  sleep SECONDS
  until FILE                  waits until there is such a file
"""

import hashlib
import json
import os
import random
import socket
import struct
import subprocess
import sys
import time

from cryptography.hazmat.primitives import serialization

from ssh_agent import frame, read_frame, string

NAME = b"keychain-v1@llavero"
BIND = b"session-bind@openssh.com"


def request_for(host, tool="git"):
    query = {"class": "internet", "protocol": "https", "server": host}
    return json.dumps({"tool": tool, "for": "get", "do": "find", "query": query})


class Agent:
    def __init__(self, path):
        self.path = path
        self.last_bind = b""
        self.crowd = []
        self.connect()

    def connect(self):
        if relay := os.environ.get("RELAY"):
            self.socket, other = socket.socketpair()
            subprocess.Popen([relay, self.path], stdin=other, stdout=other)
            other.close()
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.connect(self.path)
        self.socket.settimeout(30)

    def reply(self):
        try:
            body = read_frame(self.socket)[4:]
        except (EOFError, ConnectionError):
            return "end"
        if body[0] != 29:
            return str(body[0])
        size = struct.unpack(">I", body[1:5])[0]
        rest = body[5 + size :]
        if body[5 : 5 + size] == b"query":
            names = []
            while rest:
                size = struct.unpack(">I", rest[:4])[0]
                names.append(rest[4 : 4 + size].decode())
                rest = rest[4 + size :]
            return "29 " + " ".join(names)
        return "29 " + rest.decode()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def call(self, name, contents):
        self.send(frame(bytes([27]) + string(name) + contents))
        return self.reply()

    def forge(self, key_file, session, seed):
        self.bind_of(key_file, session, 1)
        # Without the flag, which isn't signed, and only takes something away here.
        data = bytearray(self.last_bind)
        begin = 4 + 1 + 4 + len(BIND)
        place = random.Random(seed).randrange(begin * 8, (len(data) - 1) * 8)
        data[place // 8] ^= 1 << place % 8
        self.send(bytes(data))
        return self.reply()

    def bind(self, key_file, session, flag, bad=False):
        self.bind_of(key_file, session, flag, bad)
        self.send(self.last_bind)
        return self.reply()

    def bind_of(self, key_file, session, flag, bad=False):
        with open(key_file, "rb") as file:
            key = serialization.load_ssh_private_key(file.read(), None)
        identifier = hashlib.sha256(session.encode()).digest()
        public = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        signature = key.sign(identifier)
        if bad:
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        contents = string(string(b"ssh-ed25519") + string(public)) + string(identifier)
        contents += string(string(b"ssh-ed25519") + string(signature)) + bytes([int(flag)])
        self.last_bind = frame(bytes([27]) + string(BIND) + contents)

    def ask(self, request):
        answer = self.call(NAME, request.encode())
        # While a person decides.
        while answer.startswith("29 ") and "wait" in json.loads(answer[3:]):
            ticket = json.loads(answer[3:])["wait"]
            answer = self.call(NAME, json.dumps({"tool": "test", "for": "get", "do": "wait", "ticket": ticket}).encode())
        return answer

    def step(self, words):
        name, *words = words
        if name == "bind":
            return self.bind(words[0], words[1].rstrip(","), words[2].rstrip(","), "bad" in words)
        if name == "forge":
            return self.forge(words[0], words[1], int(words[2]))
        if name == "replay":
            with open(words[0], "rb") as file:
                self.send(file.read())
            return self.reply()
        if name == "save":
            with open(words[0], "wb") as file:
                file.write(self.last_bind)
            return "saved"
        if name == "query":
            return self.call(b"query", b"")
        if name == "ask":
            return self.ask(" ".join(words))
        if name == "begin":
            return self.call(NAME, " ".join(words).encode())
        if name == "get":
            return self.ask(request_for(*words))
        if name == "list":
            return self.ask(json.dumps({"tool": "git", "for": "get", "do": "list"}))
        if name == "raw":
            self.send(bytes.fromhex(words[0]))
            return "sent"
        if name == "big":
            self.send(frame(bytes([200]) + bytes(int(words[0]))))
            return self.reply()
        if name == "identities":
            self.send(frame(bytes([11])))
            return self.reply()
        if name == "add":
            # With a secret of that size; the reply isn't waited for.
            item = {"class": "internet", "protocol": "https", "server": words[0], "account": words[2]}
            change = {"add": item, "credential": {"secret": "x" * int(words[1])}}
            request = {"tool": "git", "for": "store", "do": "change", "changes": [change]}
            self.send(frame(bytes([27]) + string(NAME) + json.dumps(request).encode()))
            return "sent"
        if name == "flood":
            # Asks for as much, and reads nothing.
            request = frame(bytes([27]) + string(b"query"))
            self.socket.setblocking(False)
            sent = 0
            try:
                while sent < int(words[0]):
                    sent += self.socket.send(request * 1000)
            except BlockingIOError:
                pass
            self.socket.settimeout(30)
            return "sent"
        if name == "idle":
            for number in range(int(words[0])):
                self.crowd.append(Agent(self.path))
                self.crowd[-1].send(b"\0" * (number % 2))
            return "sent"
        if name == "crowd":
            request = request_for(words[1]).encode()
            for _ in range(int(words[0])):
                other = Agent(self.path)
                other.send(frame(bytes([27]) + string(NAME) + request))
                self.crowd.append(other)
            return "sent"
        if name == "wait":
            return self.reply()
        if name == "close":
            self.socket.close()
            self.connect()
            return "connected"
        if name == "sleep":
            time.sleep(float(words[0]))
            return "slept"
        if name == "until":
            while not os.path.exists(words[0]):
                time.sleep(0.02)
            return "there"
        raise SystemExit(f"agent-forward.py: no step {name}")


agent = Agent(sys.argv[1])
for each in sys.argv[2:]:
    print(agent.step(each.split()), flush=True)
