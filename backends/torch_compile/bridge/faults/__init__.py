"""Bugs planted on purpose in what Dynamo and AOTAutograd make of a Program: the backends `torch:fault:NAME`.

Each fault is a function of a few lines under `@fault`, in a module of its class; its docstring is its row in the table of faults. What a
fault is given depends on where it is planted: see `table.STAGES`.
"""

_PREFIX = "fault:"
BITE_SEARCH = "fault:search"  # no fault, but it looks for those that would bite


def is_fault(backend):
    """Of the name after `torch:`."""
    return backend.startswith(_PREFIX)


def name_of(backend):
    return backend.removeprefix(_PREFIX).partition("@")[0]


def rung_of(backend):
    """Of `fault:NAME@RUNG`; without one `aot_eager`."""
    return backend.partition("@")[2] or "aot_eager"


_memory_is_guarded = False


def note_guarded_memory():
    """From now on the memory beside each block of a tensor belongs to nobody and is watched."""
    global _memory_is_guarded
    _memory_is_guarded = True


def memory_is_guarded():
    return _memory_is_guarded
