"""What serves each call of a Program: which graphs of Dynamo's, and what the code around them adds. And, where asked for, these graphs
themselves in place of what a backend made of them. Nothing is kept unless a Program asks for it."""

import hashlib

import torch
from torch._dynamo import output_graph
from torch._dynamo.exc import TorchDynamoException
from torch.utils._pytree import tree_leaves

from . import evidence

_watch = None  # that compiles report to


class Watch:
    """The calls of one Program, in order: `codes`, a number for each graph that ran, the same for equal graphs that were captured for
    arguments of equal layouts; and `around`, what shows that the code around the graphs has gone wrong."""

    def __init__(self, by_graphs):
        self.by_graphs = by_graphs
        self.placed = 0  # graphs that run themselves
        self.codes = []
        self.around = []
        self._runs = []  # of the call that is on: what a graph was given, and what it returned; None: it raised

    def call(self, compiled, arguments, has_breaks):
        """`compiled(*arguments)`. `has_breaks()`: whether a part of the Program is not in graphs."""
        self.codes.append([])
        self.around.append("")
        self._runs = []
        try:
            returned = compiled(*arguments)
        except Exception as error:
            if not isinstance(error, TorchDynamoException) and self._all_returned() and not has_breaks():
                self.around[-1] = f"the call raises {type(error).__name__} after its graph has returned"
            raise
        if self._runs and any(given is None for _, given in self._runs):
            self.around[-1] = "a graph raises, and the call returns"
        elif len(self._runs) == 1 and not has_breaks() and self._is_of_others(arguments, returned):
            self.around[-1] = "a result is a tensor that neither the graph nor the caller has given"
        self._runs = []
        return returned

    def _all_returned(self):
        return bool(self._runs) and all(given is not None for _, given in self._runs)

    def _is_of_others(self, arguments, returned):
        known = {id(each) for each in tree_leaves(arguments)}
        for taken, given in self._runs:
            known.update(map(id, taken))
            known.update(map(id, given))
        modules = [each for each in tree_leaves(arguments) if isinstance(each, torch.nn.Module)]
        if modules:  # what they hold may be returned
            return False
        return any(isinstance(each, torch.Tensor) and id(each) not in known for each in tree_leaves(returned))

    def serving(self, code, module, compiled):
        """What runs where `compiled` would."""
        target = compiled
        if self.by_graphs:
            target = evidence.counted_forward(module)
            self.placed += 1

        @torch._dynamo.disable
        def run(*arguments):
            if self.codes:
                self.codes[-1].append(code)
            boxed = target is compiled and getattr(compiled, "_boxed_call", False)
            taken = list(arguments[0]) if boxed else arguments
            self._runs.append((taken, None))
            position = len(self._runs) - 1
            returned = target(*arguments)
            self._runs[position] = (taken, list(returned) if isinstance(returned, (list, tuple)) else [returned])
            return returned

        if target is compiled and hasattr(compiled, "_boxed_call"):
            run._boxed_call = compiled._boxed_call
        return run


def _layout_of(value):
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return repr(value)
    return (str(value.dtype), str(list(value.shape)), str(value.stride()), value.requires_grad)


def _code_of(module):
    text = [
        (node.op, str(node.target), repr(node.args), repr(node.kwargs))
        + ((_layout_of(node.meta.get("example_value")),) if node.op == "placeholder" else ())
        for node in module.graph.nodes
    ]
    return int.from_bytes(hashlib.sha256(repr(text).encode()).digest()[:8], "little")


def watch_by(watch):
    """From now on compiles report to this one; None: to nobody."""
    global _watch
    if watch is not None:
        _install()
    _watch = watch


_installed = False


def _install():
    global _installed
    if _installed:
        return
    _installed = True
    compile_graph = output_graph.OutputGraph.call_user_compiler

    def compile_watched(self, module, examples):
        if _watch is None:
            return compile_graph(self, module, examples)
        code = _code_of(module)
        return _watch.serving(code, module, compile_graph(self, module, examples))

    output_graph.OutputGraph.call_user_compiler = compile_watched
