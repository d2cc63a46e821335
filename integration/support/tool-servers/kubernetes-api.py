"""As much of a Kubernetes API on loopback as kubectl needs to log in: kubernetes-api.py FOLDER TOKEN.

It has FOLDER/server.crt and FOLDER/server.key, and lets in who shows the token, or the certificate FOLDER/client.crt.
Prints its port, and writes one line for each request into FOLDER/requests: method, path, who, and what was sent.
"""

import json
import ssl
import sys

from loopback import Handler, serve

folder, token = sys.argv[1:]


class API(Handler):
    def sent(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.body()
        sent = b""
        while size := int(self.rfile.readline(), 16):
            sent += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return sent

    def answer(self):
        sent = self.sent().decode()
        who = "nobody"
        if self.connection.getpeercert():
            who = "certificate"
        elif self.headers.get("Authorization") == "Bearer " + token:
            who = "token"
        status = 401 if who == "nobody" else 200
        reason = "Unauthorized" if status == 401 else ""
        kind = {"kind": "Status", "apiVersion": "v1", "status": "Failure" if reason else "Success"}
        body = json.dumps(kind | {"reason": reason, "code": status}).encode()
        with open(folder + "/requests", "a", encoding="utf-8") as requests:
            print(self.command, self.path, who, sent, file=requests)
        self.reply(status, body, ("Content-Type", "application/json"))

    do_GET = do_POST = answer


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/server.crt", folder + "/server.key")
context.load_verify_locations(folder + "/client.crt")
context.verify_mode = ssl.CERT_OPTIONAL
serve(API, context)
