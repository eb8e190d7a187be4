"""What compiling did: counted where Dynamo hands a graph to its backend, and read from Dynamo's own counters."""

import re

import torch
from torch._dynamo import convert_frame
from torch._dynamo import utils as dynamo_utils
from torch._dynamo.eval_frame import _debug_get_cache_entry_list
from torch.fx._lazy_graph_module import _LazyGraphModule

from . import captured_graphs

_COMPILE_ID = re.compile(r"[0-9/_!\[\]]+")
_OPERATION_NODES = ("call_function", "call_method", "call_module")


class Evidence:
    def __init__(self):
        self.frames = 0
        self.graphs = 0
        self.operations = 0
        self.runs = 0
        self.breaks = []
        self.recompiles = []
        self.guards = []
        self.seconds = 0.0
        self.symbols = 0  # sizes that are inputs of graphs as symbols
        self.delegation = None  # see `delegation.Watch`
        self.bites = []  # names of faults, of the backend that looks for them

    def add_graph(self, graph_module):
        """Counts a graph that is handed to a compiler; returns the number of its operations."""
        operations = sum(node.op in _OPERATION_NODES for node in graph_module.graph.nodes)
        self.graphs += 1
        self.operations += operations
        self.symbols += sum(_is_symbol(node) for node in graph_module.graph.nodes)
        return operations

    def counted(self, compiled):
        """`compiled`, counting its runs."""

        def run(*args, **kwargs):
            self.runs += 1
            return compiled(*args, **kwargs)

        return captured_graphs.called_as(compiled, run)

    def collect(self):
        """Takes over what Dynamo has counted since the last call of this."""
        counters = dynamo_utils.counters
        metrics = dynamo_utils._compilation_metrics
        if not counters and not metrics:
            return
        self.frames += counters["frames"]["ok"]
        for reason, times in counters["graph_break"].items():
            self.breaks.extend([_break_text(reason)] * times)
        counters.clear()
        captured = False
        for record in metrics:
            captured = captured or bool(record.co_name)
            if record.recompile_reason:
                self.recompiles.append(f"{record.co_name}: {_without_compile_id(record.recompile_reason)}")
            micros = (record.dynamo_cumulative_compile_time_us or 0) + (record.backward_cumulative_compile_time_us or 0)
            self.seconds += micros / 1e6
        metrics.clear()
        dynamo_utils.compilation_time_metrics.clear()
        if captured:
            self.guards = _guard_texts()


def _is_symbol(node):
    return node.op == "placeholder" and isinstance(node.meta.get("example_value"), torch.SymInt)


# The Evidence of the program that was called last: a backward that its forward left to the autograd engine, and that
# compiles then, belongs to it.
_current = Evidence()


def attribute_to(evidence):
    global _current
    if evidence is not _current:
        _current.collect()
        _current = evidence


def is_current(evidence):
    return evidence is _current


def forget(evidence):
    if evidence is _current:
        attribute_to(Evidence())


def _break_text(reason):
    """The first two lines of Dynamo's long explanation: what broke the graph, and why."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    if len(lines) > 1 and lines[1].startswith("Explanation: "):
        return f"{lines[0]}: {lines[1].removeprefix('Explanation: ')}"
    return lines[0] if lines else ""


def _without_compile_id(reason):
    """`0/0: tensor 'x' size mismatch …` without its leading number."""
    number, separator, rest = reason.partition(": ")
    return rest if separator and _COMPILE_ID.fullmatch(number) else reason


def _guard_texts():
    texts = []
    for reference in convert_frame.input_codes.seen:
        code = reference()
        if code is None:
            continue
        for entry in _debug_get_cache_entry_list(code):
            texts.extend(f"{code.co_name}: {part}" for part in _parts_of(entry.guard_manager))
    return texts


def _parts_of(manager):
    """What the manager checks; it lists what it checks last, conditions on symbols, for itself."""
    parts = list(getattr(manager, "code_parts", ()))
    for guard in manager.root.get_epilogue_lambda_guards() if hasattr(manager, "root") else ():
        parts.extend(part.split("  #")[0] for part in guard.verbose_code_parts())
    return parts


def _compile_counted(module, compile_graph):
    evidence = _current
    operations = evidence.add_graph(module)
    eager = evidence.delegation.copied(module) if evidence.delegation and operations else None
    compiled = compile_graph()
    # A graph without operations is no evidence that anything was compiled.
    if operations == 0:
        return compiled
    # Dynamo replaces a lazily printed graph module by its real forward, which it would not find under a wrapper.
    owner = compiled if isinstance(compiled, _LazyGraphModule) else getattr(compiled, "__self__", None)
    if isinstance(owner, _LazyGraphModule) and (owner is compiled or compiled.__name__ == "_lazy_forward"):
        compiled = _printed_forward(owner)
    if eager is not None:
        compiled = evidence.delegation.noting(eager, compiled)
    return evidence.counted(compiled)


def _printed_forward(module):
    if isinstance(module, _LazyGraphModule):
        _LazyGraphModule.force_recompile(module)
    return module.forward


def counted_forward(module):
    """A graph module's own forward, whose runs count as those of what was compiled of it."""
    return _current.counted(_printed_forward(module))


def install():
    captured_graphs.compile_through(_compile_counted)
