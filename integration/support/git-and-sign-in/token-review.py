#!/usr/bin/env python3
"""As much of a Kubernetes API on loopback as reviews the tokens of service accounts: token-review.py FOLDER REVIEWER.

Lets in who shows the token REVIEWER. A token is good if the key FOLDER/jwt.pub has signed it, it hasn't ended, it is for one
of the audiences that are asked for, and its service account is a line `NAMESPACE:NAME UID` of FOLDER/accounts. It has
FOLDER/kubernetes.crt and FOLDER/kubernetes.key. Prints its port, and writes one line for each review into FOLDER/reviews:
the service account, the token's identifier, and `good` or why not.

https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/
"""

import sys
import time

from signed_tokens import Interface, parts, serve

folder, reviewer = sys.argv[1:]
PATH = "/apis/authentication.k8s.io/v1/tokenreviews"
USERS = "system:serviceaccount:"


def accounts():
    with open(folder + "/accounts", encoding="utf-8") as file:
        return dict(line.split() for line in file)


def status(spec):
    """The status of a review, and what is written down of it."""
    said = parts(spec["token"], folder + "/jwt.pub")[1]
    user = said["sub"]
    audiences = [name for name in spec.get("audiences", said["aud"]) if name in said["aud"]]
    uid = said["kubernetes.io"]["serviceaccount"]["uid"]
    why = "good"
    if said["exp"] <= time.time():
        why = "ended"
    elif not audiences:
        why = "audience"
    elif accounts().get(user.removeprefix(USERS)) != uid:
        why = "deleted"
    line = f"{user} {said['jti']} {why}"
    if why != "good":
        return {"authenticated": False, "error": f"invalid bearer token, {why}"}, line
    group = USERS[:-1] + "s"
    known = {"username": user, "uid": uid, "groups": [group, f"{group}:{user.split(':')[2]}", "system:authenticated"]}
    return {"authenticated": True, "user": known, "audiences": audiences}, line


class API(Interface):
    def do_POST(self):
        sent = self.body()
        if self.headers.get("Authorization") != "Bearer " + reviewer:
            return self.reply(401, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized"})
        if self.path != PATH:
            return self.reply(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound"})
        review, line = status(sent["spec"])
        with open(folder + "/reviews", "a", encoding="utf-8") as reviews:
            print(line, file=reviews)
        self.reply(201, {"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1", "status": review})


serve(API, folder + "/kubernetes")
