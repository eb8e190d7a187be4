"""Unusual rewrites that are right: nobody may see them."""

import torch

from .front_cache import Cache
from .graph_edits import (
    aten,
    before,
    call_instead,
    calls,
    is_call,
    is_float,
    is_random,
    is_tensor,
    is_view,
    is_write,
    name_of,
    named,
    operations,
    placeholders,
    results,
    shape,
    value,
    wrap,
)
from .merging import _key, merge
from .partition import saved
from .table import fault


@fault("forward", control=True)
def negation_twice_is_removed(graph):
    """-(-x) becomes x, in memory of its own. When: never."""
    for node in calls(graph, aten.neg.default):
        if is_call(node.args[0], aten.neg.default):
            call_instead(node, aten.clone.default, node.args[0].args[0])


@fault("forward", control=True)
def square_is_a_product(graph):
    """x ** 2 becomes x * x. When: never."""
    for node in calls(graph, aten.pow.Tensor_Scalar):
        if node.args[1] == 2 and value(node).dtype == value(node.args[0]).dtype:
            call_instead(node, aten.mul.Tensor, node.args[0], node.args[0])


@fault("forward", control=True)
def difference_is_a_sum_of_the_negation(graph):
    """x - y becomes x + -y. When: never."""
    for node in calls(graph, aten.sub.Tensor):
        if is_float(node.args[0]) and is_float(node.args[1]) and not node.kwargs and shape(node.args[1]) == shape(node):
            call_instead(node, aten.add.Tensor, node.args[0], before(node, aten.neg.default, node.args[1]))


@fault("forward", control=True)
def operands_of_a_sum_commute(graph):
    """x + y becomes y + x where both have one layout. When: never."""
    for node in calls(graph, aten.add.Tensor, aten.mul.Tensor):
        if len(node.args) > 1 and is_tensor(node.args[0]) and is_tensor(node.args[1]) and not node.kwargs:
            left, right = value(node.args[0]), value(node.args[1])
            if left.shape == right.shape and left.stride() == right.stride() and left.dtype == right.dtype:
                node.args = node.args[::-1]


def _is_two(number):
    return type(number) in (int, float) and number == 2  # a complex one makes the product complex


@fault("forward", control=True)
def doubling_is_adding(graph):
    """x * 2 of floats becomes x + x. When: never."""
    for node in calls(graph, aten.mul.Tensor):
        if _is_two(node.args[1]) and is_float(node.args[0]):
            call_instead(node, aten.add.Tensor, node.args[0], node.args[0])


@fault("forward", control=True)
def halving_is_multiplying(graph):
    """x / 2 of floats becomes x * 0.5. When: never."""
    for node in calls(graph, aten.div.Tensor):
        if _is_two(node.args[1]) and is_float(node.args[0]):
            call_instead(node, aten.mul.Tensor, node.args[0], 0.5)


@fault("forward", control=True)
def relu_is_a_clamp(graph):
    """relu(x) becomes clamp_min(x, 0). When: never."""
    for node in calls(graph, aten.relu.default):
        call_instead(node, aten.clamp_min.default, node.args[0], 0)


@fault("forward", control=True)
def absolute_forgets_a_negation(graph):
    """abs(-x) of floats becomes abs(x). When: never."""
    for node in calls(graph, aten.abs.default):
        if is_call(node.args[0], aten.neg.default) and is_float(node):  # unsigned integers wrap
            node.args = node.args[0].args


@fault("forward", control=True)
def inner_permutations_are_composed(graph):
    """permute(permute(x, p), q) becomes permute(x, q after p). When: never."""
    for node in calls(graph, aten.permute.default):
        inner = node.args[0]
        if is_call(inner, aten.permute.default):
            call_instead(node, aten.permute.default, inner.args[0], [inner.args[1][each] for each in node.args[1]])


@fault("forward", control=True)
def views_of_views_are_merged(graph):
    """view(view(x)) becomes one view of contiguous memory. When: never."""
    for node in calls(graph, aten.view.default):
        inner = node.args[0]
        if is_call(inner, aten.view.default) and value(inner.args[0]).is_contiguous():
            node.args = (inner.args[0], node.args[1])


@fault("forward", control=True)
def equal_expressions_are_merged(graph):
    """Calls with the same operands are merged where no result lies in their memory. When: never."""
    kept = _in_results(graph)
    merge(graph, _key, lambda node: node not in kept and not _is_written(node))


def _in_results(graph):
    """The results, and whatever they are views of."""
    kept = set(results(graph))
    for node in reversed(operations(graph)):
        if node in kept and is_view(node):
            kept.update(node.all_input_nodes[:1])
    return kept


def _is_written(node):
    return any(name_of(user).endswith("_") for user in node.users) or name_of(node).endswith("_")


@fault("graphs", control=True)
def dead_code_is_dropped(graph):
    """Calls without users that neither write nor draw are dropped. When: never."""
    for node in reversed(operations(graph)):
        if not node.users and not is_random(node) and not name_of(node).endswith("_") and node.op == "call_function":
            if not node.is_impure():
                graph.erase_node(node)


@fault("dynamo", control=True)
def pure_calls_are_moved_to_their_users(graph):
    """A call of arguments alone is moved down to its first user where nothing is written between. When: never."""
    for node in reversed(operations(graph)):
        if node.op == "call_function" and node.target in (torch.sin, torch.cos, torch.exp) and node.users:
            last = node
            while (
                last.next not in node.users
                and last.next.op == "call_function"
                and not is_write(last.next)
                and last.next.op != "output"
            ):
                if last.next.target not in (torch.sin, torch.cos, torch.exp):
                    break
                last = last.next
            if last is not node:
                last.append(node)


@fault("forward", control=True)
def constants_are_hoisted(graph):
    """Calls without operands that draw nothing are moved to the front. When: never."""
    inputs = placeholders(graph)
    for node in reversed(named(graph, "full", "arange", "zeros", "ones")):
        if not node.all_input_nodes and inputs:
            inputs[-1].append(node)


@fault("forward", control=True)
def sums_go_dimension_by_dimension(graph):
    """amax over two dimensions becomes two. When: never."""
    for node in calls(graph, aten.amax.default):
        if len(node.args) == 2 and len(node.args[1]) == 2 and all(each >= 0 for each in node.args[1]):
            first, second = sorted(node.args[1])
            call_instead(node, aten.amax.default, before(node, aten.amax.default, node.args[0], [second]), [first])


@fault("forward", control=True)
def comparisons_are_turned(graph):
    """x < y becomes y > x. When: never."""
    for node in calls(graph, aten.lt.Tensor):
        if shape(node.args[0]) == shape(node.args[1]) and value(node.args[0]).stride() == value(node.args[1]).stride():
            call_instead(node, aten.gt.Tensor, node.args[1], node.args[0])


@fault("forward", control=True)
def widening_casts_are_merged(graph):
    """x.to(wider).to(wider still) becomes one cast. When: never."""
    widths = {torch.float16: 0, torch.float32: 1, torch.float64: 2}
    for node in calls(graph, aten._to_copy.default):
        inner = node.args[0]
        if is_call(inner, aten._to_copy.default) and set(node.kwargs) == set(inner.kwargs) == {"dtype"}:
            chain = [widths.get(value(each).dtype, -1) for each in (inner.args[0], inner, node)]
            if chain == sorted(chain) and chain[0] >= 0:
                node.args = inner.args


@fault("forward", control=True)
def where_of_a_negation_is_swapped(graph):
    """where(~c, x, y) becomes where(c, y, x). When: never."""
    for node in calls(graph, aten.where.self):
        if is_call(node.args[0], aten.logical_not.default) and value(node.args[0].args[0]).dtype == torch.bool:
            if (
                shape(node.args[1]) == shape(node.args[2])
                and value(node.args[1]).stride() == value(node.args[2]).stride()
            ):
                node.args = (node.args[0].args[0], node.args[2], node.args[1])


@fault("guards", control=True)
def cache_of_exact_keys():
    """Compiled code is kept under keys that say all that guards would say. When: never."""
    return Cache()


@fault("runtime", control=True)
def calls_go_through_a_wrapper(call):
    """Arguments and results pass through lists of their own. When: never."""
    return lambda *arguments: list(call(*list(arguments)))


@fault("joint", control=True)
def tangents_pass_through_an_alias(graph):
    """Tangents are aliased before they are used. When: never."""
    for node in placeholders(graph):
        if node.name.startswith("tangents") and is_tensor(node):
            wrap(node, aten.alias.default)


@fault("partition", control=True)
def saved_doubles_stay_doubles(forward, backward):
    """Saved singles are widened to double and back. When: never."""
    for _, node in saved(forward, backward):
        if is_float(node) and value(node).dtype == torch.float32:
            wrap(wrap(node, aten._to_copy.default, dtype=torch.float64), aten._to_copy.default, dtype=torch.float32)
