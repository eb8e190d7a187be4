"""Modules of one's own, which register backends when they are imported."""

import importlib
import sys


def look_in(folder):
    sys.path.insert(0, folder)


def import_named(name):
    importlib.import_module(name)


def named(module, path):
    """What holds the last name of `a.b.c` in the module, and that name."""
    owner = importlib.import_module(module)
    *names, last = path.split(".")
    for name in names:
        owner = getattr(owner, name)
    return owner, last
