#!/usr/bin/env python3
"""setup-properties.py TOOL COUNT SEED: configurations of TOOL as people write them, set up by llavero and read back by
the tool's own reader: the setting is there, all else reads as before, a second time changes nothing, and --remove gives
the very bytes back. Where llavero refuses, or leaves it to a person, nothing has changed. Needs a HOME of its own."""

import configparser
import os
import random
import shutil
import subprocess
import sys
import tomllib

HOME = os.environ["HOME"]
ENDS = ["\n", "\n", "\n", "\r\n"]


def pick(*choices):
    return random.choice(choices)


def python_file(sections, keys, extra):
    """A file for configparser; now and then one that it refuses."""
    lines = []
    names = list(sections)
    random.shuffle(names)
    for name in names[: random.randint(0, len(names))]:
        lines.append(pick("", "", "  ", "\t") + f"[{name}]" + pick("", "", " # ours", " ; [x]"))
        indent = pick("", "", "  ", "\t")
        chosen = list(keys) + list(extra)
        random.shuffle(chosen)
        for key in chosen[: random.randint(0, 4)]:
            lines += [""] * random.randint(0, 1)
            if random.random() < 0.2:
                lines.append(pick("# ", "; ", "  # ") + "c = 1")
            written = pick(key, key.upper(), key.title())
            separator = pick(" = ", "=", ":", ": ", " :", " =  ")
            value = pick("1", "https://alice:s3cret@index.example/simple", "a ; b", "a # b", "", "x:y=z", "1%d" % random.randint(0, 9))
            lines.append(indent + written + separator + value)
            for _ in range(pick(0, 0, 0, 1, 2)):
                lines.append(indent + pick("  ", "    ", "\t") + pick("more", "k = v", "[no]", "x: y"))
                if random.random() < 0.2:
                    lines.append(pick("", indent + "  # comment"))
    if names and lines and random.random() < 0.1:
        lines += [f"[{names[0]}]", "late = 1"]
    if random.random() < 0.05:
        lines.insert(0, "stray")
    return lines


def read_python_file(data):
    parser = configparser.RawConfigParser()
    parser.read_string(data.decode("utf-8").replace("\r\n", "\n"))
    return {(s, k): v for s in parser.sections() for k, v in parser.items(s)}


def toml_file(table, key, values):
    lines = []
    if random.random() < 0.3:
        lines += ["# top", f'{pick("answer", chr(34) + "an.swer" + chr(34))} = {pick("42", "1979-05-27 07:32:00", "true", "[ 1, 2, # c", "0.5")}']
        if lines[-1].endswith("# c"):
            lines += ["  3 ]", ""]
    form = pick("none", "header", "dotted", "inline", "sub", "both", "elements")
    inside = ['default = "corp"', "token = 's3cret'", 'text = """a', "[registry]", '"""']
    own = []
    if random.random() < 0.4:
        own = [f"{pick(key, chr(34) + key + chr(34))} {pick('=', ' = ')} {random.choice(values)}"]
    if form == "header":
        lines += [pick(f"[{table}]", f"[ {table} ] # ours", f'["{table}"]')] + inside[: pick(0, 1, 2, 5)] + own
    elif form == "dotted":
        lines += [f"{table} . default = 'x'", f"{table}.deep.er = 1"] + [f"{table}.{line}" for line in own]
    elif form == "inline":
        members = ['default = "x"', "n = {}"][: pick(0, 1, 2)] + [line for line in own if "\n" not in line]
        lines += [f"{table} = {{" + pick("", " ") + ", ".join(members) + pick("", " ") + "}" + pick("", " # c")]
    elif form == "sub":
        lines += [f"[{table}.sub]", "a = 1"]
    elif form == "both":
        lines += [f"[{table}]"] + own + [f"[{table}.sub]", f"{key} = 1"]
    elif form == "elements":
        lines += [f"[[{table}]]", "a = 1", f"[[{table}]]"]
    lines += pick([], [], ["", "[registries.corp]", 'index = "sparse+https://r.example/"'], ["[[bin]]", "name = 'x'"])
    if random.random() < 0.05:
        lines.append("stray")
    return "\n".join(lines).split("\n")


def flat(value, path=()):
    if isinstance(value, dict):
        return {k: v for name, inner in value.items() for k, v in flat(inner, path + (name,)).items()}
    if isinstance(value, list) and all(isinstance(item, dict) for item in value) and value:
        return {k: v for i, inner in enumerate(value) for k, v in flat(inner, path + (i,)).items()}
    return {path: value}


def read_toml(data):
    return flat(tomllib.loads(data.decode("utf-8")))


def git_file():
    lines = []
    for _ in range(random.randint(0, 4)):
        header = pick("[user]", "[credential]", "[Credential]", '[credential "https://a.example"]', "[include]", '[alias "x]"]', "[a.B]", "[ core]" if random.random() < 0.1 else "[core]")
        entries = [
            pick("name = Alice", "\tname = \"Al;ice\" # c", "path = /nowhere", "on", "x = a\\", "x = \"a # b\" ; c"),
            pick("helper = store", "\thelper=cache --timeout 1", "helper =", 'helper = "!f() { echo password=x; }; f"', "HELPER = store # c", "username = me"),
        ][: random.randint(0, 2)]
        lines.append(pick("", "  ") + header + (" " + entries.pop(0) if entries and random.random() < 0.3 else ""))
        for entry in entries:
            lines.append(entry)
            if entry.endswith("\\"):
                lines.append("more" + pick("", " b"))
        lines += pick([], [""], ["# c"], ["; [x]"])
    if random.random() < 0.05:
        lines.append(pick("[broken", "x = \"open", "= 1", "x y"))
    return lines


def read_git(data):
    path = os.path.join(HOME, "read")
    with open(path, "wb") as file:
        file.write(data)
    out = subprocess.run(["git", "config", "--file", path, "--null", "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if out.returncode:
        raise ValueError(out.stderr)
    entries, helpers = [], []
    for entry in out.stdout.decode().split("\0")[:-1]:
        name, _, value = entry.partition("\n")
        if name == "credential.helper":
            helpers = helpers + [value] if value else []
        else:
            entries.append(entry)
    return {("helpers",): helpers, ("others",): entries}


def has_element(value, before):
    return value == (["cargo:token"] if before is None else before) + ["cargo-credential-llavero"]


def is_helper(value, before):
    # A person's own name for it stays; setup writes the path where the program isn't in a folder of every PATH.
    return value in (["llavero"], [shutil.which("git-credential-llavero")])


CARGO_VALUES = ['["cargo:token"]', "[]", "['a', \"b\",]", '[\n  "a", # "x",\n  "b" # last\n]', '"text"', '["a", 1]']
# One tool of each format whose reader is Python's or git's: its file, text, reader and key, and whether the value is right.
TOOLS = {
    "git": (".gitconfig", git_file, read_git, ("helpers",), is_helper),
    "cargo": (
        ".cargo/config.toml", lambda: toml_file("registry", "global-credential-providers", CARGO_VALUES), read_toml,
        ("registry", "global-credential-providers"), has_element,
    ),
    "python": (
        ".config/pip/pip.conf",
        lambda: python_file(["global", "install", "list"], ["timeout", "index-url", "extra-index-url"], [pick("keyring-provider", "keyring_provider")] if random.random() < 0.4 else []),
        read_python_file, ("global", "keyring-provider"), lambda new, old: new == "subprocess",
    ),
}


def rewrite_python_file(path):
    parser = configparser.RawConfigParser()
    parser.read(path, encoding="utf-8")
    with open(path, "w", encoding="utf-8") as file:
        parser.write(file)


def rewrite_git(path):
    subprocess.run(["git", "config", "--file", path, "core.editor", "vi"], check=True)
    subprocess.run(["git", "config", "--file", path, "--unset-all", "core.editor"], check=True)


# How the tools rewrite their files.
REWRITE = {"python": rewrite_python_file, "git": rewrite_git}


def value_of(read, key):
    """Of a key, however this file spells it: with pip's underscores, too."""
    def plain(key):
        return tuple(part.replace("_", "-") if isinstance(part, str) else part for part in key)
    found = [(name, value) for name, value in read.items() if plain(name) == plain(key)]
    return found[-1] if found else (None, None)


def llavero(*words):
    return subprocess.run(["llavero", "setup", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def others(path):
    """All other files of the home, for some tools have several."""
    found = {}
    for folder, _, names in os.walk(HOME):
        for name in names:
            file = os.path.join(folder, name)
            if file != path and "/llavero" not in file and file != os.path.join(HOME, "read"):
                found[file] = os.readlink(file) if os.path.islink(file) else open(file, "rb").read()
    return found


def main():
    tool, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    name, generate, read, key, is_right = TOOLS[tool]
    path = os.path.join(HOME, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    refused = left = 0
    for number in range(count):
        random.seed(f"{tool} {seed} {number}")
        end = random.choice(ENDS)
        before = (end.join(generate()) + pick(end, end, "")).encode()
        with open(path, "wb") as file:
            file.write(before)

        def fail(why, **more):
            sys.exit(f"{tool} {seed} {number}: {why}\nbefore: {before!r}\nafter: {open(path, 'rb').read()!r}\n{more}")

        beside = others(path)
        outcome = llavero(tool, "--yes")
        after = open(path, "rb").read()
        try:
            old = read(before)
        except (ValueError, configparser.Error) as error:
            old = error
        if outcome.returncode == 1:
            # A person is told what to write, and nothing else of the file changes; the tool's other files may.
            if after != before or b"write this" not in outcome.stderr:
                fail("left to a person, and changed", said=outcome.stderr)
            if isinstance(old, Exception):
                fail("the tool's own reader refuses this", error=old, said=outcome.stderr)
            left += 1
            llavero(tool, "--remove", "--yes")
            if others(path) != beside:
                fail("not as before", said=outcome.stderr)
            continue
        if outcome.returncode:
            if after != before or others(path) != beside:
                fail("refused, and changed", said=outcome.stderr)
            if not isinstance(old, Exception):
                refused += 1
            continue
        if isinstance(old, Exception):
            fail("the tool's own reader refuses this", error=old, said=outcome.stderr)
        try:
            new = read(after)
        except (ValueError, configparser.Error) as error:
            fail("the tool can't read what was written", error=error)
        new_name, value = value_of(new, key)
        old_name, former = value_of(old, key)
        if new_name is None or not is_right(value, former):
            fail("the setting isn't as it should be", value=value)
        if {k: v for k, v in new.items() if k != new_name} != {k: v for k, v in old.items() if k != old_name}:
            fail("something else reads otherwise", new=new, old=old)
        outcome = llavero(tool, "--yes")
        if outcome.returncode or open(path, "rb").read() != after or b"set up already" not in outcome.stdout:
            fail("the second time changed something", said=outcome)
        rewritten = tool in REWRITE and before != after and random.random() < 0.5
        if rewritten:
            REWRITE[tool](path)
        outcome = llavero(tool, "--remove", "--yes")
        if before == after and outcome.returncode == 2 and open(path, "rb").read() == before:
            continue
        if outcome.returncode:
            fail("not given back", said=outcome)
        if rewritten:
            if read(open(path, "rb").read()) != old:
                fail("the tool wrote it anew, and reads it otherwise now", old=old)
            continue
        # What a person wrote in llavero's words is removed like what llavero wrote.
        if before != after and (open(path, "rb").read() != before or others(path) != beside):
            fail("not the very bytes of before", said=outcome)
    if refused > count // 4:
        sys.exit(f"{tool}: refused {refused} of {count} that its reader takes")
    print(f"{tool}: {count}, of which {refused} were refused, and {left} left to the person")


main()
