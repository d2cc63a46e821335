#!/usr/bin/env python3
"""An ssh server on loopback for tests, which says `welcome` to whoever logs in.

ssh-server.py FOLDER METHOD ARGUMENT [PROMPT]: METHOD is `password` with the password, `keyboard-interactive` with the
answer to PROMPT, or `publickey` with a file of the public key. Everybody's name is `alice`. In FOLDER it writes `port`,
and in `tries` a line `METHOD yes|no|empty` for each try; the last is what ssh gives where its askpass gave nothing.
"""

import os
import socket
import sys
import threading

import paramiko

folder, method, expected = sys.argv[1:4]
prompt = sys.argv[4] if len(sys.argv) > 4 else ""
if method == "publickey":
    with open(expected, encoding="ascii") as file:
        expected = file.read().split()[1]


class Server(paramiko.ServerInterface):
    def note(self, given):
        is_right = given == expected
        with open(os.path.join(folder, "tries"), "a", encoding="ascii") as tries:
            tries.write(f"{method} {'yes' if is_right else 'no' if given else 'empty'}\n")
        return paramiko.AUTH_SUCCESSFUL if is_right else paramiko.AUTH_FAILED

    def get_allowed_auths(self, username):
        return method

    def check_auth_password(self, username, password):
        if method != "password":
            return paramiko.AUTH_FAILED
        return self.note(password if username == "alice" else "another")

    def check_auth_interactive(self, username, submethods):
        if method != "keyboard-interactive":
            return paramiko.AUTH_FAILED
        return paramiko.InteractiveQuery("", "", (prompt, False))

    def check_auth_interactive_response(self, responses):
        return self.note("".join(responses))

    def check_auth_publickey(self, username, key):
        if method != "publickey" or key.get_base64() != expected:
            return paramiko.AUTH_FAILED
        return paramiko.AUTH_SUCCESSFUL

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel, command):
        def answer():
            channel.sendall(b"welcome\n")
            channel.send_exit_status(0)
            channel.close()

        threading.Timer(0.1, answer).start()
        return True


def serve(connection):
    transport = paramiko.Transport(connection)
    transport.add_server_key(host_key)
    try:
        transport.start_server(server=Server())
        # A channel that nothing refers to is closed.
        channels = []
        while transport.is_active():
            channels.append(transport.accept(1))
    except (paramiko.SSHException, EOFError, OSError):
        pass


host_key = paramiko.ECDSAKey.generate()
listener = socket.create_server(("127.0.0.1", 0))
temporary = os.path.join(folder, "port.new")
with open(temporary, "w", encoding="ascii") as file:
    file.write(str(listener.getsockname()[1]))
os.rename(temporary, os.path.join(folder, "port"))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
