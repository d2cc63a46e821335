"""Git LFS for a server that answers git, as far as the basic transfer needs it (git-lfs, docs/api).

Below /NAME.git/info/lfs/ it answers objects/batch, objects/OID and locks/verify, and keeps the objects in a folder.
"""

import json
import os

TYPE = "application/vnd.git-lfs+json"


class GitLFS:
    """For a BaseHTTPRequestHandler."""

    def is_lfs(self, path):
        return "/info/lfs/" in path

    def serve_lfs(self, folder, path, body):
        """The status, headers and content."""
        base, _, rest = path.partition("/info/lfs/")
        if rest == "locks/verify":
            return self.lfs_reply({"ours": [], "theirs": []})
        if rest == "objects/batch":
            return self.lfs_reply(self.batch(folder, f"https://{self.headers['Host']}{base}/info/lfs/objects/", json.loads(body)))
        file = os.path.join(folder, os.path.basename(rest))
        if self.command == "PUT":
            os.makedirs(folder, exist_ok=True)
            with open(file, "wb") as stored:
                stored.write(body)
            return 200, [], b""
        if not os.path.exists(file):
            return 404, [], b""
        with open(file, "rb") as stored:
            return 200, [("Content-Type", "application/octet-stream")], stored.read()

    def batch(self, folder, base, request):
        objects = []
        for each in request["objects"]:
            is_there = os.path.exists(os.path.join(folder, each["oid"]))
            action = {request["operation"]: {"href": base + each["oid"]}}
            is_needed = is_there == (request["operation"] == "download")
            objects.append({**each, **({"actions": action} if is_needed else {})})
        return {"transfer": "basic", "objects": objects}

    def lfs_reply(self, answer):
        return 200, [("Content-Type", TYPE)], json.dumps(answer).encode()
