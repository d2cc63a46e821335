#!/usr/bin/python3 -W ignore
"""Uses the windows of GTK programs as a person does, who sees what the accessibility bus tells: window.py VERB ARGUMENT...

sees TEXT           waits until this text is shown
misses TEXT         waits until it isn't
clicks TEXT [ROLE]  and in the same way menu, with the other button; ROLE is `menu item`, `push button` and so on, or
                    `row` for what is in a list, `answer` for a button of a dialog
leftmost ROLE       clicks that one of these, which has no name
writes TITLE N NEW  writes into entry N, from 0, of the dialog that has a TITLE somewhere
"""

import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

PATIENCE = 10
ENTRIES = ("text", "password text")
DIALOGS = ("dialog", "alert", "frame")


def below(thing):
    """All that is shown of it. Any of it can go away meanwhile."""
    try:
        yield thing
        children = [thing.get_child_at_index(index) for index in range(thing.get_child_count())]
    except GLib.Error:
        return
    for child in children:
        if child:
            yield from below(child)


def shown(thing):
    states = thing.get_state_set()
    return states.contains(Atspi.StateType.SHOWING) and states.contains(Atspi.StateType.SENSITIVE)


def texts(thing):
    name = thing.get_name()
    text = Atspi.Text.get_text(thing, 0, -1) if "Text" in thing.get_interfaces() else ""
    # Two lines of an item are one label.
    return {part for part in (name, text, *text.split("\n")) if part}


def everything():
    return below(Atspi.get_desktop(0))


def is_a(thing, role):
    if role == "row":
        return is_within(thing, ("list item",))
    if role == "answer":
        return thing.get_role_name() == "push button" and is_within(thing, ("alert", "dialog"))
    return role is None or thing.get_role_name() == role


def is_within(thing, roles):
    while thing and thing.get_role_name() not in roles:
        thing = thing.get_parent()
    return thing is not None


def all_found(text, role=None):
    for thing in everything():
        try:
            if shown(thing) and (text is None or text in texts(thing)) and is_a(thing, role):
                yield thing
        except GLib.Error:
            pass


def found(text, role=None):
    return next(all_found(text, role), None)


def awaited(text, role=None):
    end = time.monotonic() + PATIENCE
    while not (thing := found(text, role)):
        if time.monotonic() > end:
            sys.exit(f"not shown: {text or role}; but there are:\n{overview()}")
        time.sleep(0.02)
    return thing


def overview():
    lines = []
    for thing in everything():
        try:
            if shown(thing) and texts(thing):
                lines.append(f"{thing.get_role_name()} {sorted(texts(thing))}")
        except GLib.Error:
            pass
    return "\n".join(lines)


def place(thing):
    extents = Atspi.Component.get_extents(thing, Atspi.CoordType.SCREEN)
    return extents.x, extents.y, extents.width, extents.height


def click(thing, button):
    # A dialog can still be on its way to its place.
    before = None
    while before != (now := place(thing)):
        before = now
        time.sleep(0.1)
    x, y, width, height = now
    position = [str(x + width // 2), str(y + height // 2)]
    subprocess.run(["xdotool", "mousemove", *position, "click", str(button)], check=True)


def write(title, number, new):
    thing = awaited(title)
    while thing.get_role_name() not in DIALOGS:
        thing = thing.get_parent()
    entries = [each for each in below(thing) if each.get_role_name() in ENTRIES and shown(each)]
    Atspi.EditableText.set_text_contents(entries[int(number)], new)


def main(verb, *arguments):
    if verb == "sees":
        awaited(*arguments)
    elif verb == "misses":
        end = time.monotonic() + PATIENCE
        while found(*arguments):
            if time.monotonic() > end:
                sys.exit(f"still shown: {arguments[0]}")
            time.sleep(0.02)
    elif verb == "clicks":
        click(awaited(*arguments), 1)
    elif verb == "menu":
        click(awaited(*arguments), 3)
    elif verb == "leftmost":
        awaited(None, arguments[0])
        click(min(all_found(None, arguments[0]), key=lambda thing: place(thing)[0]), 1)
    elif verb == "writes":
        write(*arguments)
    else:
        sys.exit(f"no such verb: {verb}")


main(*sys.argv[1:])
