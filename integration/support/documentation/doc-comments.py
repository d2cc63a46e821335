#!/usr/bin/env python3
"""doc-comments.py FILE.symbols.json...: names the public symbols whose comment says too little; then the status is 1.

Every symbol needs a comment, its own or that of the requirement which it fulfils. What throws has to say what
("- Throws:"), but where it fulfils a requirement, which says it, or where it only throws what the function throws that
the caller gave: its error type is then generic.
"""

import json
import re
import sys
import urllib.parse


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])


def throws(symbol):
    """Whether the symbol itself throws, and something that it has to say."""
    if symbol["kind"]["identifier"] == "swift.typealias":
        return False
    text = declaration(symbol)
    generics = [parameter["name"] for parameter in symbol.get("swiftGenerics", {}).get("parameters", [])]
    # Ignore closures among the parameters, because their errors are not the symbol's.
    depth, outer = 0, []
    for character in text:
        depth -= character == ")"
        if depth == 0:
            outer.append(character)
        depth += character == "("
    if not re.search(r"\bthrows\b", "".join(outer)):
        return False
    error = re.findall(r"\bthrows\((\w+)\)", text)
    return not (error and error[-1] in generics)


def fault(symbol, inherits):
    lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
    if not any(line.strip() for line in lines):
        return None if inherits else "has no comment"
    if throws(symbol) and not inherits and not any(re.match(r"\s*- Throws:", line) for line in lines):
        return "doesn't say what it throws"
    return None


def place(symbol):
    location = symbol.get("location")
    if not location:
        return "?"
    path = urllib.parse.unquote(urllib.parse.urlparse(location["uri"]).path)
    return f"{path}:{location['position']['line'] + 1}"


def faults(graph):
    inheriting = {
        relationship["source"]
        for relationship in graph["relationships"]
        if "sourceOrigin" in relationship or relationship["kind"] in ("defaultImplementationOf", "overrides")
    }
    for symbol in graph["symbols"]:
        what = fault(symbol, symbol["identifier"]["precise"] in inheriting)
        if what:
            yield f"{place(symbol)}: {graph['module']['name']}.{'.'.join(symbol['pathComponents'])} {what}"


found, count = [], 0
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        graph = json.load(file)
    count += len(graph["symbols"])
    found += faults(graph)
if count == 0:
    sys.exit("doc-comments: no symbols in " + " ".join(sys.argv[1:]))
for line in sorted(found):
    print(line, file=sys.stderr)
sys.exit(1 if found else 0)
