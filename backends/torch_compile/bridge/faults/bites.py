"""`torch:fault:search`: `aot_eager` that looks for the faults that would have changed one of its graphs.

A fault that edits graphs and leaves each as it is has compiled what the pipeline without it compiles. So a score need not compile the
Program under it.
"""

import contextlib
import copy

import torch
from torch._guards import TracingContext

from . import compilers, table

# Of table.STAGES: what a fault there is given are graphs. The others stand around calls, and may always bite.
_OF_GRAPHS = ("dynamo", "joint", "partition", "forward", "backward", "graphs")


def _copied(graph):
    result = copy.deepcopy(graph)
    result.owning_module = graph.owning_module
    return result


def _without_guards():
    """A fault compares sizes. What it finds shall be no guard of the compile that goes on."""
    context = TracingContext.try_get()
    shapes = context.fake_mode.shape_env if context is not None and context.fake_mode is not None else None
    return shapes.suppress_guards() if shapes is not None else contextlib.nullcontext()


def _print_of(graphs):
    """All of the graphs that a fault can change."""
    return [
        (node.op, node.target, repr(node.args), repr(node.kwargs), [(key, id(value)) for key, value in node.meta.items()])
        for graph in graphs
        for node in graph.nodes
    ]


class _Search:
    def __init__(self, found):
        self._found = found  # names, each once
        every = [each for each in table.all_faults().values() if each.name not in found]
        self._left = {at: [each for each in every if each.at == at] for at in _OF_GRAPHS}
        found.extend(each.name for each in every if each.at not in _OF_GRAPHS)

    def wrap(self, at, call):
        return call

    def edit(self, at, *modules):
        """Looks which faults at this place would change the graphs, and changes nothing."""
        graphs = [each.graph for each in modules]
        copies = None
        for fault in list(self._left[at]):
            if copies is None:
                copies = [_copied(each) for each in graphs]
                before = _print_of(copies)
            try:
                with _without_guards():
                    fault.plant(*copies)
                bites = _print_of(copies) != before
            except Exception:  # the compile would raise it
                bites = True
            if bites:
                copies = None
                self._left[at].remove(fault)
                self._found.append(fault.name)


def compile_program(function, dynamic, fullgraph, options, found):
    """torch.compile(function, …); the names of the faults that bite are appended to `found` as graphs are compiled."""
    backend = compilers.backend_with(_Search(found), "aot_eager")
    return torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=fullgraph, options=options)
