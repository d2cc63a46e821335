"""What python-dotenv, node and Docker Compose make of files of variables.

usage: env-file-readers.py FILE            checks that python-dotenv and node say what FILE says that they did
       env-file-readers.py --compose PROGRAM FILE    the same for Compose

FILE has a line of JSON for each text: the text, what each reader said (null for an error), and what llavero is expected
to say. PROGRAM calls compose-go's dotenv.ParseWithLookup: it reads a text as a line of JSON, and writes the variables as
a line of JSON, or null.
"""

import json
import logging
import os
import subprocess
import sys
import tempfile

VARIABLES = {"SET": "from-env", "EMPTY": "", "PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def read_by_python(text):
    from dotenv.main import DotEnv

    class Complaints(logging.Handler):
        def emit(self, record):
            complaints.append(record)

    complaints = []
    logger = logging.getLogger("dotenv.main")
    logger.handlers, logger.propagate = [Complaints()], False
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(VARIABLES)
    try:
        with tempfile.NamedTemporaryFile() as file:
            file.write(text.encode())
            file.flush()
            values = dict(DotEnv(file.name, encoding="utf-8", override=False).dict())
    finally:
        os.environ.clear()
        os.environ.update(before)
    return None if complaints else values


def read_by_node(text):
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        done = subprocess.run(
            ["node", "--env-file=" + file.name, "-e", "console.log(JSON.stringify(process.env))"],
            env=VARIABLES, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode:
        return None
    return {name: value for name, value in json.loads(done.stdout).items() if VARIABLES.get(name) != value}


def has_node():
    try:
        return subprocess.run(["node", "--env-file=/dev/null", "-e", "0"], stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def main(arguments):
    with open(arguments[-1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    if arguments[0] == "--compose":
        texts = "".join(json.dumps(row["text"]) + "\n" for row in rows)
        said = subprocess.run([arguments[1]], input=texts, env=VARIABLES, stdout=subprocess.PIPE, text=True, check=True)
        readers = {"compose": [json.loads(line) for line in said.stdout.splitlines()]}
    else:
        readers = {"python": [read_by_python(row["text"]) for row in rows]}
        if has_node():
            readers["node"] = [read_by_node(row["text"]) for row in rows]
    differing = [
        (name, row["text"], row[name], said)
        for name, answers in readers.items() for row, said in zip(rows, answers, strict=True) if said != row[name]
    ]
    for difference in differing:
        print(*map(repr, difference))
    print(", ".join(f"{name}: {len(answers)} texts" for name, answers in readers.items()))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
