"""A worker that is forked from a process that has imported PyTorch already: what it takes over from whoever asked for it."""

import os
import sys
import tempfile

from . import settings

_NEVER_IMPORTED = {"sitecustomize", "usercustomize"}  # Python looks for them when it starts


def _folders(variables):
    return variables["PYTHONPATH"].split(os.pathsep) if variables.get("PYTHONPATH") else []


def refusal(variables):
    """Why modules that are imported already might be others with these variables; empty: none is."""
    own, asked = _folders(os.environ), _folders(variables)
    if own and own != asked or not all(map(os.path.isabs, asked)):
        return "PYTHONPATH has another value there"
    taken = {name.partition(".")[0] for name in sys.modules} | _NEVER_IMPORTED
    for folder in asked if own != asked else ():
        names = os.listdir(folder) if os.path.isdir(folder) else _NEVER_IMPORTED
        if any(name.partition(".")[0] in taken or name.endswith((".dist-info", ".egg-info")) for name in names):
            return f"`{folder}` in PYTHONPATH has modules with names of PyTorch's, or plugins"
    return ""


def take_environment(variables):
    """Python's copy of the environment is from when the process started that this one was forked from."""
    if not _folders(os.environ):
        sys.path[:0] = _folders(variables)
    os.environ.clear()
    os.environ.update(variables)
    sys.dont_write_bytecode = bool(variables.get("PYTHONDONTWRITEBYTECODE"))
    tempfile.tempdir = None
    settings.prepare_environment()
