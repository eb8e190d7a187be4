"""What serves each call of a Program: which graphs of Dynamo's, and what the code around them adds. And, where asked for, these graphs
themselves in place of what a backend made of them. Nothing is kept unless a Program asks for it."""

import functools
import hashlib
import re

import torch
from torch._dynamo import convert_frame
from torch._dynamo.exc import TorchDynamoException
from torch.utils._pytree import tree_leaves

from . import captured_graphs, evidence

_watch = None  # that compiles report to


class Watch:
    """The calls of one Program, in order: `codes`, a number for each graph that ran, the same for equal graphs, captured for arguments of
    equal layouts, in equal code around them; and `around`, what shows that this code has gone wrong."""

    def __init__(self, by_graphs):
        self.by_graphs = by_graphs
        self.placed = 0  # graphs that run themselves
        self.codes = []
        self.around = []
        self._runs = None  # of the call that is on: what a graph was given, and what it returned; None: it raised
        self._uncoded = []  # numbers of graphs whose frame is being compiled

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
        else:
            if any(given is None for _, given in self._runs):
                self.around[-1] = "a graph raises, and the call returns"
            elif len(self._runs) == 1 and not has_breaks() and self._is_of_others(arguments, returned):
                self.around[-1] = "a result is a tensor that neither the graph nor the caller has given"
            return returned
        finally:
            self._runs = None

    def _all_returned(self):
        return bool(self._runs) and all(given is not None for _, given in self._runs)

    def _is_of_others(self, arguments, returned):
        leaves = list(tree_leaves(arguments))
        for taken, given in self._runs:
            leaves += [*taken, *given]
        tensors = [each for each in leaves if isinstance(each, torch.Tensor) and each.is_leaf]
        known = {id(each) for each in leaves + [each.grad for each in tensors]}  # a gradient is read where the tensor is
        modules = [each for each in tree_leaves(arguments) if isinstance(each, torch.nn.Module)]
        if modules:  # what they hold may be returned
            return False
        return any(isinstance(each, torch.Tensor) and id(each) not in known for each in tree_leaves(returned))

    def serving(self, code, module, compiled):
        """What runs where `compiled` would."""
        number = [code]
        self._uncoded.append(number)
        target = compiled
        if self.by_graphs:
            target = evidence.counted_forward(module)
            self.placed += 1

        @torch._dynamo.disable
        def run(*arguments):
            if self._runs is None:  # in a backward
                return target(*arguments)
            self.codes[-1].append(number[0])
            taken = list(arguments[0]) if getattr(target, "_boxed_call", False) else arguments
            self._runs.append((taken, None))
            position = len(self._runs) - 1
            returned = target(*arguments)
            self._runs[position] = (taken, list(returned) if isinstance(returned, (list, tuple)) else [returned])
            return returned

        return captured_graphs.called_as(target, run)


    def frame_compiled(self, code):
        """`code`: what a frame has become, with the graphs that have been captured since the last one."""
        parts = (code.co_code.hex(), [_without_counts(name) for name in code.co_names], [_constant(each) for each in code.co_consts])
        for number in self._uncoded:
            number[0] = _digest((number[0], parts))
        self._uncoded.clear()


def _digest(value):
    # Without addresses of functions, which are others in each process.
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _without_counts(name):
    """Names that Dynamo gives are numbered through the process."""
    return re.sub(r"_[0-9a-f_]*$", "", name) if name.startswith("__") else name


def _constant(value):
    return repr(value) if value is None or isinstance(value, (bool, int, float, complex, str, bytes, tuple)) else type(value).__name__


def _layout_of(value):
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return repr(value)
    return (str(value.dtype), str(list(value.shape)), str(value.stride()), value.requires_grad)


def _code_of(module):
    """Of a graph and those in it, which higher-order operators call."""
    graphs = [each.graph for each in module.modules() if isinstance(each, torch.fx.GraphModule)]
    return _digest(
        [
            (node.op, str(node.target), repr(node.args), repr(node.kwargs))
            + ((_layout_of(node.meta.get("example_value")),) if node.op == "placeholder" else ())
            for graph in graphs
            for node in graph.nodes
        ]
    )


def watch_by(watch):
    """From now on compiles report to this one; None: to nobody."""
    global _watch
    if watch is not None:
        _install()
    _watch = watch


def _compile_watched(module, compile_graph):
    if _watch is None:
        return compile_graph()
    code = _code_of(module)
    return _watch.serving(code, module, compile_graph())


def _frame_compiled(_, code):
    if _watch is not None:
        _watch.frame_compiled(code)


@functools.cache
def _install():
    captured_graphs.compile_through(_compile_watched)
    convert_frame.register_bytecode_hook(_frame_compiled)
