"""Which patterns the installed PyTorch registers, in the order in which it does.

A pattern is an entry of `torch/_inductor/pattern_matcher.py`: what to look for in an FX graph, a check, and what to do about it. Importing
this module imports Inductor's passes, so it has to come before anything else of Inductor: entries are seen as they register.
"""

import collections
import importlib
import inspect
import pathlib

import torch
from torch._inductor import pattern_matcher

# The passes that nothing else imports on the way to a compile.
MODULES = ("b2b_gemm", "decompose_mem_bound_mm", "efficient_conv_bn_eval", "reduced_atomic_contention", "micro_pipeline_tp", "quantization")
# Those whose patterns are registered by a function, once.
INITIALIZED = ("pre_grad", "joint_graph", "post_grad", "freezing_patterns")


class Pattern:
    """One registered entry: `name` is FILE/WHAT of the source of what it looks for or does, `group` the file alone."""

    def __init__(self, entry, passes):
        self.entry, self.passes = entry, passes
        function = searched(entry) or handler(entry)
        self.group = pathlib.Path(inspect.getsourcefile(function)).stem
        self.name = f"{self.group}/{label(entry, function)}"


def searched(entry):
    """The function that a replacement's pattern was traced from; None for other kinds."""
    if not isinstance(entry, pattern_matcher.ReplacementPatternEntry):
        return None
    function = inspect.getclosurevars(entry.extra_check).nonlocals["search_fn"]
    while not hasattr(function, "__code__") or "partial_func" in function.__code__.co_freevars:
        function = inspect.getclosurevars(function).nonlocals["partial_func"].func
    return function


def handler(entry):
    """What is called for a match, without what partial() and decorators put around it."""
    function = entry.handler
    while hasattr(function, "func"):
        function = function.func
    return inspect.unwrap(function)


def label(entry, function):
    """`sfdp_pattern_1_training`, `unary_fusion`, `weight_pack_pass.linear`: what tells entries of a file apart."""
    if getattr(entry, "pattern_name", None):
        return entry.pattern_name.lstrip("_")
    parts = [part.removeprefix("_register_").strip("_") for part in function.__qualname__.split(".<locals>.")]
    parts = [part.removesuffix("_lowering") for part in parts]
    return ".".join(part for part in parts if part != "fn" and not part.endswith("_init")) or parts[-1]


def registered():
    """{name: Pattern}; entries of one name are numbered from the second on: `unary_fusion#2`."""
    entries = {}  # by identity: an entry registers once for each operator that it may end in, and for each pass
    register = pattern_matcher.PatternEntry.register

    def note(entry, passes, target=None, prepend=False):
        entries.setdefault(id(entry), (entry, passes))
        register(entry, passes, target, prepend)

    pattern_matcher.PatternEntry.register = note
    try:
        importlib.import_module("torch._inductor.compile_fx")
        for name in (*INITIALIZED, *MODULES):
            importlib.import_module(f"torch._inductor.fx_passes.{name}")
        for name in INITIALIZED:
            importlib.import_module(f"torch._inductor.fx_passes.{name}").lazy_init()
    finally:
        pattern_matcher.PatternEntry.register = register
    found, seen = {}, collections.Counter()
    for pattern in (Pattern(*each) for each in entries.values()):
        seen[pattern.name] += 1
        pattern.name += f"#{seen[pattern.name]}" if seen[pattern.name] > 1 else ""
        found[pattern.name] = pattern
    return found
