"""Whether a backend of one's own executes what it is handed. It is asked for by a profile: `spied` looks at which operators PyTorch runs
all the same, and `module:attribute` is a counter of the backend's own. Nothing is kept unless a profile asks."""

import collections

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from . import captured_graphs, imports

SPIED = "spied"

# What runtimes around compiled code call themselves: memory, copies, and what autograd starts and ends with.
_AROUND = frozenset(
    "_to_copy alias arange clone copy_ detach empty empty_like empty_strided fill full full_like lift_fresh new_empty new_zeros ones ones_like "
    "set_ zeros zeros_like".split()
)

_asked = None  # for which backend, and how


def ask(backend, proof):
    global _asked
    _asked = (backend, proof)


def watch_for(backend):
    """None where nobody asks about this backend."""
    return Watch(_asked[1]) if _asked is not None and _asked[0] == backend else None


class Watch:
    """The graphs of one Program."""

    def __init__(self, proof):
        self._count = None if proof == SPIED else _counter(proof)
        self._begin = self._count() if self._count else 0
        self._graphs = []
        self._runs = 0

    def copied(self, module):
        """Of a graph that a backend is going to be handed, and may change."""
        return torch.fx.GraphModule(module, _copy_of(module.graph))

    def noting(self, eager, compiled):
        """`compiled`, whose first arguments are kept."""
        graph = _Graph(eager, compiled)
        self._graphs.append(graph)

        def run(*args):
            self._runs += 1
            graph.keep(args)
            return compiled(*args)

        return captured_graphs.called_as(compiled, run)

    def report(self):
        """`delegated`, `partly`, `undelegated` or nothing, and of each operator how many calls there are in the graphs and how many of
        them PyTorch did not run."""
        if self._count:
            return self._counted()
        rows, seen, expected = collections.Counter(), 0, collections.Counter()
        for graph in self._graphs:
            by_eager, by_compiled = graph.operators(graph.eager), graph.operators(graph.compiled)
            if not by_eager or by_compiled is None:
                continue
            expected += by_eager
            rows += by_eager - by_compiled
            seen += by_compiled.total()
        if not expected:
            return "", []
        kind = "delegated" if seen == 0 else "undelegated" if not rows or seen >= expected.total() else "partly"
        return kind, _rows(expected, rows if kind != "undelegated" else {})

    def _counted(self):
        ran = self._count() - self._begin
        expected = sum((graph.operators(graph.eager) or collections.Counter() for graph in self._graphs), collections.Counter())
        if not expected or self._runs == 0:
            return "", []
        if 0 < ran < self._runs:
            return "partly", []  # of which graphs is not known
        return ("delegated", _rows(expected, expected)) if ran > 0 else ("undelegated", _rows(expected, {}))


def _rows(expected, own):
    return [(name, count, own.get(name, 0)) for name, count in sorted(expected.items())]


class _Graph:
    def __init__(self, eager, compiled):
        self.eager = eager
        self.compiled = compiled
        self._given = None
        self._has_gradients = False

    def keep(self, args):
        if self._given is None:
            self._given = _copy_of(args)
            self._has_gradients = torch.is_grad_enabled()

    def operators(self, run):
        """How often each operator is called that computes something, forward and backward; None: it did not get through."""
        if self._given is None:
            return None
        arguments = _copy_of(self._given)
        is_boxed = len(arguments) == 1 and isinstance(arguments[0], list)  # Dynamo hands graphs tensors and numbers alone
        if run is self.eager and is_boxed:
            arguments = tuple(arguments[0])
        try:
            with torch.random.fork_rng(devices=[]), torch.set_grad_enabled(self._has_gradients), _Calls() as calls:
                returned = run(*arguments)
                roots = [each for each in tree_leaves(returned) if isinstance(each, torch.Tensor) and each.requires_grad]
                if roots:
                    torch.autograd.backward(roots, [torch.ones_like(each) for each in roots])
        except Exception:
            return None
        return calls.counts


class _Calls(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        is_view = any(each.alias_info is not None and not each.alias_info.is_write for each in func._schema.returns)
        if not is_view and name not in _AROUND:
            self.counts[name.rstrip("_")] += 1
        return func(*args, **(kwargs or {}))


def _counter(path):
    """Reads what `module:attribute` names: a number, or a function without arguments that gives one."""
    module, _, attribute = path.partition(":")
    owner, name = imports.named(module, attribute)

    def read():
        value = getattr(owner, name)
        return int(value() if callable(value) else value)

    return read


def _copy_of(value):
    if isinstance(value, torch.fx.Graph):
        copied = torch.fx.Graph()
        output = copied.graph_copy(value, {})
        if output is not None:
            copied.output(output)
        return copied
    return tree_map_only(torch.Tensor, lambda each: each.detach().clone().requires_grad_(each.requires_grad), value)
