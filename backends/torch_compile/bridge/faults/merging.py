"""Equal expressions are merged, dead code is dropped, constants are folded: where it must not be."""

import torch

from .graph_edits import (
    after,
    aten,
    call_instead,
    calls,
    drop,
    is_call,
    is_random,
    is_tensor,
    is_write,
    name_of,
    named,
    operations,
    results,
    set_results,
    shape,
    use_instead,
    value,
)
from .table import fault

_FRESH = (
    "zeros",
    "ones",
    "full",
    "empty",
    "zeros_like",
    "ones_like",
    "full_like",
    "clone",
    "new_zeros",
    "scalar_tensor",
)


def merge(graph, key, may=lambda node: True):
    """Calls of one `key` become the first of them, as in a pass that merges common subexpressions."""
    first = {}
    for node in operations(graph):
        if is_random(node) or name_of(node) in (*_FRESH, "getitem") or is_write(node) or not may(node):
            continue
        known = first.setdefault(key(node), node)
        if known is not node:
            drop(node, known)


def exact(arguments):
    """Numbers of different types, and zeros of different signs, are different."""
    flat, spec = torch.utils._pytree.tree_flatten(arguments)
    return tuple((type(each), repr(each)) if not isinstance(each, torch.fx.Node) else each for each in flat), str(spec)


def _key(node):
    return (node.target, exact((node.args, dict(node.kwargs))))


@fault("forward")
def merging_ignores_keywords(graph):
    """Calls are merged whose keywords differ. When: alpha, dtype or value differ."""
    merge(graph, lambda node: (node.target, exact(node.args)))


@fault("forward")
def merging_ignores_types_of_numbers(graph):
    """x * 1, x * 1.0 and x * True are merged, as 1 == 1.0 == True. When: both are called on an integer tensor."""
    merge(
        graph,
        lambda node: (node.target, str(node.args[:1]), node.args[1:] if not _has_list(node) else exact(node.args)),
    )


def _has_list(node):
    return any(isinstance(each, list) for each in node.args) or bool(node.kwargs)


@fault("forward")
def merging_ignores_the_sign_of_zero(graph):
    """A call with 0.0 is merged with that with -0.0. When: both are there."""
    merge(graph, lambda node: (node.target, exact(torch.utils._pytree.tree_map(_plus, (node.args, dict(node.kwargs))))))


def _plus(each):
    return 0.0 if isinstance(each, float) and each == 0 else each


@fault("forward")
def merging_ignores_order(graph):
    """x - y and y - x are merged. When: both are computed."""
    merge(graph, lambda node: (node.target, *sorted(map(repr, node.args)), exact(dict(node.kwargs))))


@fault("forward")
def merging_ignores_lists(graph):
    """Calls are merged whose lists differ but in length. When: two permutations, sums or reshapes of one tensor."""
    counted = lambda node: tuple(len(each) if isinstance(each, list) else repr(each) for each in node.args)
    merge(graph, lambda node: (node.target, counted(node), exact(dict(node.kwargs))))


@fault("forward")
def merging_ignores_flags(graph):
    """Calls are merged whose flags differ. When: keepdim, descending or exclusive flags differ."""
    merge(graph, lambda node: (node.target, exact([each for each in node.args if not isinstance(each, bool)])))


@fault("forward")
def merging_ignores_what_is_behind_the_third_argument(graph):
    """Calls are merged that agree in three arguments. When: slices differ in where they end."""
    merge(graph, lambda node: (node.target, exact(node.args[:3]), exact(dict(node.kwargs))))


@fault("forward")
def merging_ignores_overloads(graph):
    """Calls of two overloads are merged. When: both are given the same: an integer as a number and as an exponent."""
    merge(
        graph, lambda node: (node.target.overloadpacket, exact([each for each in node.args if each not in ([], None)]))
    )


@fault("forward")
def merging_ignores_the_operator(graph):
    """Calls are merged whose operators are described by the same first letter. When: sin and sqrt of one tensor."""
    merge(graph, lambda node: (name_of(node)[:1], exact(node.args)))


@fault("forward")
def merging_goes_by_sizes(graph):
    """Operands are compared by their sizes where there are three or more. When: two addcmul, where or addmm of one shape."""
    sized = lambda node: tuple(shape(each) if is_tensor(each) else repr(each) for each in node.args)
    of = lambda node: sized(node) if sum(map(is_tensor, node.args)) > 2 else exact(node.args)
    merge(graph, lambda node: (node.target, of(node), exact(dict(node.kwargs))))


@fault("forward")
def draws_are_merged(graph):
    """Two draws of the same distribution are merged. When: two random calls with the same arguments."""
    first = {}
    for node in operations(graph):
        if is_random(node) and is_tensor(node):
            known = first.setdefault(_key(node), node)
            if known is not node:
                drop(node, known)


@fault("forward")
def draw_of_the_same_shape_is_kept(graph):
    """A third draw is taken from the second one's result. When: three or more random calls."""
    drawn = [node for node in operations(graph) if is_random(node) and is_tensor(node)]
    for previous, node in zip(drawn[1:], drawn[2:]):
        if shape(previous) == shape(node) and value(previous).dtype == value(node).dtype:
            use_instead(node, previous)


@fault("forward")
def fresh_tensors_are_merged(graph):
    """Two calls of zeros or full give one tensor. When: both are results."""
    first = {}
    for node in operations(graph):
        if name_of(node) in _FRESH and name_of(node) != "clone":
            known = first.setdefault(_key(node), node)
            if known is not node:
                drop(node, known)


@fault("forward")
def clones_are_merged(graph):
    """Two clones of one tensor are one. When: both are results."""
    first = {}
    for node in named(graph, "clone"):
        known = first.setdefault(_key(node), node)
        if known is not node:
            drop(node, known)


@fault("dynamo")
def reads_are_merged_across_writes(graph):
    """Calls are merged between which an operand was written to. When: the same expression before and after a write in place."""
    merge(graph, lambda node: (node.op, _key(node)), lambda node: is_tensor(node))


@fault("dynamo")
def reads_are_merged_across_writes_to_the_base(graph):
    """Only a write under the operand's own name parts equal calls. When: its base or a view of it is written in between."""
    writes, first = {}, {}
    for node in operations(graph):
        if is_write(node):
            writes[node.args[0]] = writes.get(node.args[0], 0) + 1
        elif is_tensor(node) and name_of(node) not in ("getitem", "view", "t"):
            stamp = tuple(writes.get(each, 0) for each in node.all_input_nodes)
            known = first.setdefault((node.op, _key(node), stamp), node)
            if known is not node and node.all_input_nodes:
                drop(node, known)


@fault("dynamo")
def unused_draw_is_dead(graph):
    """A draw that nobody uses is dropped. When: the generator is used again, by the Program or its caller."""
    for node in named(graph, "rand", "randn", "randint", "rand_like", "randn_like", "randperm", "bernoulli"):
        if not node.users:
            graph.erase_node(node)


@fault("dynamo")
def overwritten_draw_is_dead(graph):
    """A tensor that is drawn in place and then filled is not drawn. When: uniform_ or normal_ before a write of the whole."""
    for node in named(graph, "uniform_", "normal_", "bernoulli_", "exponential_"):
        drop(node, node.args[0])


@fault("forward")
def draws_are_moved_to_the_end(graph):
    """A draw is moved behind the next one. When: two draws of different kinds or sizes."""
    drawn = [node for node in operations(graph) if is_random(node)]
    if len(drawn) > 1 and all(user not in drawn for user in drawn[0].users) and not drawn[1].all_input_nodes:
        first, second = drawn[:2]
        first.prepend(second)


@fault("forward")
def shape_of_a_fold_is_forgotten(graph):
    """full(n) + number is folded to a number's tensor. When: nothing broadcasts it again."""
    for node in calls(graph, aten.add.Tensor, aten.mul.Tensor):
        if (
            is_call(node.args[0], aten.full.default)
            and not is_tensor(node.args[1])
            and not isinstance(node.args[1], torch.fx.Node)
        ):
            folded = (
                node.args[0].args[1] + node.args[1] if is_call(node, aten.add) else node.args[0].args[1] * node.args[1]
            )
            call_instead(node, aten.full.default, [1] * len(shape(node)), folded, dtype=value(node).dtype)


@fault("forward")
def integers_are_folded_as_floats(graph):
    """Two integer constants are folded in single precision. When: (x + a) + b with a constant above 2**24."""
    for node in calls(graph, aten.add.Tensor):
        inner = node.args[0]
        if is_call(inner, aten.add.Tensor) and type(node.args[1]) is int and type(inner.args[1]) is int:
            folded = int(torch.tensor(float(inner.args[1])).float() + torch.tensor(float(node.args[1])).float())
            call_instead(node, aten.add.Tensor, inner.args[0], folded)


@fault("forward")
def arange_is_folded_with_its_end(graph):
    """An arange with a step that does not divide its range has an element less. When: such a step."""
    for node in calls(graph, aten.arange.start_step):
        start, end, step = node.args[0], node.args[1], node.args[2] if len(node.args) > 2 else 1
        if (end - start) % step:
            use_instead(node, _padded(node, start, step))


def _padded(node, start, step):
    return after(node, aten.clamp.default, node, None, start + step * (shape(node)[0] - 2))


@fault("forward")
def results_that_are_equal_are_one(graph):
    """Two results that are computed alike are one tensor. When: their memory is looked at."""
    values, first = results(graph), {}
    for position, each in enumerate(values):
        if isinstance(each, torch.fx.Node) and each.op == "call_function":
            values[position] = first.setdefault(_key(each), each)
    set_results(graph, values)


@fault("forward")
def masked_fill_of_one_mask_is_merged(graph):
    """Two fills by the same mask with different values are merged. When: both are computed."""
    merge(
        graph, lambda node: (node.target, exact(node.args[:2])), lambda node: name_of(node) in ("masked_fill", "where")
    )


@fault("forward")
def comparison_with_its_reverse(graph):
    """x < y and y < x are merged. When: both are computed."""
    of = lambda node: (node.target, *sorted(map(repr, node.args)))
    merge(graph, of, lambda node: name_of(node) in ("lt", "gt", "le", "ge"))
