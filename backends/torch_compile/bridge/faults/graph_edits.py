"""Small edits of FX graphs: which calls there are, another call at the place of one, another result.

A graph is Dynamo's (`torch.add`, `operator.add`, methods, values in `meta["example_value"]`) or AOTAutograd's (`torch.ops.aten`, values in
`meta["val"]`).
"""

import operator

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import Node, map_arg

aten = torch.ops.aten


def calls(graph, *targets):
    """The nodes that call one of these functions, overloads or (as texts) methods, in their order."""
    wanted = set(targets)
    return [
        node for node in graph.nodes if node.op in ("call_function", "call_method") and _names(node.target) & wanted
    ]


def _names(target):
    return {target, getattr(target, "overloadpacket", target)}


def is_call(node, *targets):
    return (
        isinstance(node, Node)
        and node.op in ("call_function", "call_method")
        and bool(_names(node.target) & set(targets))
    )


def name_of(node):
    """`add` of `torch.add`, `operator.add`, `x.add(…)` and `torch.ops.aten.add`."""
    if not isinstance(node, Node) or node.op not in ("call_function", "call_method"):
        return ""
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "").partition(".")[0]


def named(graph, *names):
    """The nodes that call something of such a name."""
    return [node for node in graph.nodes if name_of(node) in names]


def operations(graph):
    return [node for node in graph.nodes if node.op in ("call_function", "call_method")]


def placeholders(graph):
    return [node for node in graph.nodes if node.op == "placeholder"]


def value(node):
    """The fake tensor or number that a node gave while it was traced; a constant is its own."""
    if not isinstance(node, Node):
        return node
    return node.meta["val"] if "val" in node.meta else node.meta.get("example_value")


def is_tensor(node):
    return isinstance(node, Node) and isinstance(value(node), torch.Tensor)


def is_float(node):
    return is_tensor(node) and value(node).is_floating_point()


def shape(node):
    return tuple(value(node).shape)


def random_calls(graph):
    tag = torch.Tag.nondeterministic_seeded
    return [node for node in operations(graph) if tag in getattr(node.target, "tags", ())]


def is_random(node):
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def is_view(node):
    """Whether what a node of AOTAutograd's graph gives lies in its first argument's memory."""
    if name_of(node) == "getitem":
        return True
    returned = getattr(getattr(node.target, "_schema", None), "returns", ())
    return any(each.alias_info is not None and not each.alias_info.is_write for each in returned)


def is_write(node):
    """Whether a node of Dynamo's graph writes to its first argument: `add_`, `x += 1`, `x[0] = 1`."""
    if node.op == "call_method":
        return node.target.endswith("_") and not node.target.endswith("__")
    if node.op != "call_function":
        return False
    name = getattr(node.target, "__name__", "")
    return (
        name in ("setitem",)
        or name.startswith("i")
        and node.target is getattr(operator, name, None)
        and name[1:] in _IN_PLACE
    )


_IN_PLACE = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")


def _run(target, arguments, keywords, is_method):
    fakes = [each for each in torch.utils._pytree.tree_leaves((arguments, keywords)) if isinstance(each, FakeTensor)]
    call = (lambda first, *rest, **named: getattr(first, target)(*rest, **named)) if is_method else target
    with fakes[0].fake_mode if fakes else torch.no_grad(), torch.no_grad():
        return call(*arguments, **keywords)


def _insert(graph, target, arguments, keywords, is_method):
    node = (graph.call_method if is_method else graph.call_function)(target, arguments, keywords)
    traced = map_arg((arguments, keywords), value)
    try:
        kept = _run(target, *traced, is_method)
    except Exception:  # the place where it runs shows what is wrong with it
        kept = None
    key = "val" if any("val" in each.meta for each in graph.nodes) else "example_value"
    node.meta[key] = kept
    return node


def before(node, target, *arguments, **keywords):
    """A new call in front of `node`."""
    with node.graph.inserting_before(node):
        return _insert(node.graph, target, arguments, keywords, isinstance(target, str))


def after(node, target, *arguments, **keywords):
    """A new call behind `node`."""
    with node.graph.inserting_after(node):
        return _insert(node.graph, target, arguments, keywords, isinstance(target, str))


def use_instead(node, other):
    """Whoever used `node` uses `other`, but for `other` itself."""
    node.replace_all_uses_with(other, delete_user_cb=lambda user: user is not other)


def call_instead(node, target, *arguments, **keywords):
    """Another call at the place of `node`."""
    other = before(node, target, *arguments, **keywords)
    node.replace_all_uses_with(other)
    node.graph.erase_node(node)
    return other


def drop(node, instead):
    """`node` goes; whoever used it uses `instead`."""
    node.replace_all_uses_with(instead)
    node.graph.erase_node(node)


def wrap(node, target, *more, **keywords):
    """Whoever used `node` uses `target(node, *more)`."""
    other = after(node, target, node, *more, **keywords)
    use_instead(node, other)
    return other


def output(graph):
    return next(node for node in graph.nodes if node.op == "output")


def results(graph):
    return list(output(graph).args[0])


def set_results(graph, values):
    output(graph).args = (tuple(values),)


def change_result(graph, index, target, *more, **keywords):
    """Result `index` is `target(result, *more)`; other uses of it stay."""
    values = results(graph)
    values[index] = before(output(graph), target, values[index], *more, **keywords)
    set_results(graph, values)


def set_argument(node, index, argument):
    node.args = (*node.args[:index], argument, *node.args[index + 1 :])


def argument(node, index, default=None, name=None):
    if index < len(node.args):
        return node.args[index]
    return node.kwargs.get(name, default)
