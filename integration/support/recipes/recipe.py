"""recipe.py: turns a text of `llavero help TOOL` on standard input into a script for a shell.

Lines that begin with four spaces are commands. Below a paragraph that begins with `In FILE` they are that file, which is
written as it stands.
"""
import re
import sys

END = "the end of the file that llavero's help shows"
file = None
paragraph = True
block = []


def put():
    global block
    while block and not block[-1]:
        block.pop()
    if file and block:
        print(f'mkdir -p "$(dirname {file})"\ncat >{file} <<"{END}"\n' + "\n".join(block) + f"\n{END}")
    elif block:
        print("\n".join(block))
    block = []


for line in sys.stdin.read().splitlines():
    if line.startswith("    ") or not line:
        if line or block:
            block.append(line[4:])
        paragraph = paragraph or not line
        continue
    put()
    if paragraph:
        named = re.match(r"In (~?[\w./-]*[\w])[,:]", line)
        file = named and named[1]
    paragraph = False
put()
