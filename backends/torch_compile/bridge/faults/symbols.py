"""Sizes that are symbols: taken as the numbers that were seen first, for one another, or in wrong sums, and guarded by too little."""

import math
import operator

import torch
from torch.fx import Node, map_arg

from .front_cache import Cache
from .graph_edits import argument, aten, calls, is_tensor, named, operations, placeholders, results, set_results, shape, use_instead, value
from .table import fault

_FACTORIES = ("zeros", "ones", "full", "empty", "new_zeros", "new_ones", "new_full")


def _is_size(node):
    return isinstance(node, Node) and isinstance(value(node), torch.SymInt)


def _seen(node):
    """The number that was there when the graph was captured."""
    return int(value(node).node.hint)


def _as_seen(node):
    """The sizes among a node's arguments become numbers."""
    node.args, node.kwargs = map_arg(
        (node.args, node.kwargs), lambda each: _seen(each) if _is_size(each) else each
    )


def _symbols(graph):
    return [node for node in placeholders(graph) if _is_size(node)]


def _of_sizes(graph, *functions):
    """Calls of these functions that make a size of sizes."""
    return [node for node in calls(graph, *functions) if _is_size(node)]


def _results_as_seen(graph, *functions):
    """The sizes that these make become numbers."""
    for node in _of_sizes(graph, *functions):
        node.replace_all_uses_with(_seen(node))


@fault("dynamo")
def sizes_are_those_seen_first(graph):
    """Each size in a graph is the number that it was captured with. When: another size, and an operation takes it."""
    for node in operations(graph):
        _as_seen(node)


@fault("dynamo")
def one_size_is_taken_for_another(graph):
    """The first symbol takes the place of the second. When: both are in the graph and differ."""
    symbols = _symbols(graph)
    if len(symbols) > 1:
        for node in operations(graph):
            node.args = map_arg(node.args, lambda each: symbols[0] if each is symbols[1] else each)


@fault("dynamo")
def quotients_of_sizes_are_rounded_up(graph):
    """n // k becomes (n + k - 1) // k. When: n is no multiple of k."""
    for node in _of_sizes(graph, operator.floordiv):
        size, divisor = node.args
        if isinstance(divisor, int) and divisor > 1 and _is_size(size):
            with graph.inserting_before(node):
                more = graph.call_function(operator.add, (size, divisor - 1))
                more.meta["example_value"] = value(size) + (divisor - 1)
            node.args = (more, divisor)


@fault("dynamo")
def quotients_of_sizes_are_those_seen_first(graph):
    """n // k is a number. When: the quotient is another."""
    _results_as_seen(graph, operator.floordiv)


@fault("dynamo")
def products_of_sizes_take_one_twice(graph):
    """a * b becomes a * a. When: two sizes that differ are multiplied."""
    for node in _of_sizes(graph, operator.mul):
        if all(_is_size(each) for each in node.args):
            node.args = (node.args[0], node.args[0])


@fault("dynamo")
def products_of_sizes_are_sums(graph):
    """a * b becomes a + b. When: they are not both two."""
    for node in _of_sizes(graph, operator.mul):
        node.target = operator.add


@fault("dynamo")
def numbers_added_to_sizes_are_lost(graph):
    """n + k becomes n. When: a number is added to a size."""
    for node in _of_sizes(graph, operator.add):
        if _is_size(node.args[0]) and isinstance(node.args[1], int):
            node.replace_all_uses_with(node.args[0])


@fault("dynamo")
def differences_of_sizes_are_turned(graph):
    """n - m of two sizes becomes m - n where that is not below zero. When: m is the larger one in a later call."""
    for node in _of_sizes(graph, operator.sub):
        if all(_is_size(each) for each in node.args) and _seen(node) <= 0:
            node.args = (node.args[1], node.args[0])


@fault("dynamo")
def numbers_subtracted_from_sizes_are_seen_first(graph):
    """n - k is a number. When: n is another."""
    _results_as_seen(graph, operator.sub)


@fault("dynamo")
def remainders_of_sizes_are_those_seen_first(graph):
    """n % k is a number. When: the remainder is another."""
    _results_as_seen(graph, operator.mod)


@fault("dynamo")
def powers_of_sizes_are_products(graph):
    """n ** k becomes n * k. When: n and k are not both two."""
    for node in _of_sizes(graph, operator.pow):
        node.target = operator.mul


@fault("dynamo")
def smaller_of_two_sizes_is_the_first(graph):
    """min(n, m) becomes n. When: m is smaller, in a call."""
    for node in _of_sizes(graph, torch.sym_min):
        if _is_size(node.args[0]):
            node.replace_all_uses_with(node.args[0])


@fault("dynamo")
def larger_of_two_sizes_is_the_first(graph):
    """max(n, m) becomes n. When: m is larger, in a call."""
    for node in _of_sizes(graph, torch.sym_max):
        node.replace_all_uses_with(next((each for each in node.args if _is_size(each)), node.args[0]))


@fault("dynamo")
def true_quotients_of_sizes_are_whole(graph):
    """n / k of a size becomes n // k. When: it is no whole number, and its rest matters."""
    for node in calls(graph, operator.truediv):
        if _is_size(node.args[0]):
            node.target = operator.floordiv


@fault("dynamo")
def sizes_as_floats_are_those_seen_first(graph):
    """float(n) is a number. When: the size is another, and its float is computed with."""
    for node in calls(graph, torch.sym_float):
        node.replace_all_uses_with(float(value(node).node.hint))


@fault("dynamo")
def bounds_of_slices_are_those_seen_first(graph):
    """Bounds of a slice are numbers. When: a slice to a size that is another."""
    for node in calls(graph, operator.getitem):
        if is_tensor(node.args[0]):
            _as_seen(node)


@fault("dynamo")
def lengths_of_narrows_are_those_seen_first(graph):
    """The length of narrow is a number. When: it is another one and smaller."""
    for node in named(graph, "narrow"):
        _as_seen(node)


@fault("dynamo")
def sizes_of_factories_are_those_seen_first(graph):
    """zeros, ones and full make what they made first. When: they are given a size that is another."""
    for node in named(graph, *_FACTORIES):
        _as_seen(node)


@fault("dynamo")
def ranges_end_where_they_ended_first(graph):
    """arange(n) has the numbers that it had first. When: n is another."""
    for node in named(graph, "arange", "linspace"):
        _as_seen(node)


@fault("dynamo")
def sizes_of_a_view_are_swapped(graph):
    """x.view(n, m) of two sizes becomes x.view(m, n). When: they differ."""
    for node in named(graph, "view", "reshape"):
        if len(node.args) == 3 and all(_is_size(each) for each in node.args[1:]):
            node.args = (node.args[0], node.args[2], node.args[1])


@fault("dynamo")
def expansions_are_as_wide_as_first(graph):
    """expand(n, …) of a new dimension has the number that it had first. When: n is another."""
    for node in named(graph, "expand"):
        if len(node.args) > 2 and _is_size(node.args[1]):
            node.args = (node.args[0], _seen(node.args[1]), *node.args[2:])


@fault("dynamo")
def repetitions_are_as_many_as_first(graph):
    """repeat(n, …) repeats as often as it did first. When: n is another."""
    for node in named(graph, "repeat", "tile"):
        _as_seen(node)


@fault("dynamo")
def padding_is_as_wide_as_first(graph):
    """pad by a size pads by the number that it was first. When: the size is another."""
    for node in named(graph, "pad"):
        _as_seen(node)


@fault("dynamo")
def sizes_added_to_values_are_those_seen_first(graph):
    """x + n and x - n take the number that n was first. When: the size is another."""
    for node in named(graph, "add", "sub", "rsub"):
        if is_tensor(node):
            _as_seen(node)


@fault("dynamo")
def divisors_are_the_sizes_seen_first(graph):
    """x / n divides by what n was first. When: a mean that is written out, over another size."""
    for node in named(graph, "truediv", "div"):
        if is_tensor(node):
            _as_seen(node)


@fault("dynamo")
def values_are_compared_with_the_sizes_seen_first(graph):
    """x < n compares with what n was first. When: the size is another, and values lie between."""
    for node in named(graph, "lt", "gt", "le", "ge", "eq", "ne", "clamp"):
        if is_tensor(node):
            _as_seen(node)


@fault("dynamo")
def sizes_are_returned_as_seen_first(graph):
    """A size that is returned is the number that it was first. When: it is another."""
    set_results(graph, [_seen(each) if _is_size(each) else each for each in results(graph)])


@fault("dynamo")
def two_sizes_are_returned_in_turn(graph):
    """The first two sizes that are returned change places. When: they differ."""
    returned = results(graph)
    places = [place for place, each in enumerate(returned) if _is_size(each)]
    if len(places) > 1:
        first, second = places[:2]
        returned[first], returned[second] = returned[second], returned[first]
        set_results(graph, returned)


@fault("forward")
def strides_by_sizes_are_those_seen_first(graph):
    """as_strided has the strides that it had first. When: a stride hangs on a size that is another."""
    for node in calls(graph, aten.as_strided.default):
        strides = [_seen(each) if _is_size(each) else each for each in node.args[2]]
        node.args = (*node.args[:2], strides, *node.args[3:])


@fault("backward")
def gradients_are_expanded_as_seen_first(graph):
    """A gradient that is expanded adds up to what it added up to first. When: the sum was over another size."""
    for node in calls(graph, aten.expand.default):
        if any(_is_size(each) for each in node.args[1]):
            first = math.prod(int(each.node.hint) if isinstance(each, torch.SymInt) else each for each in shape(node))
            with graph.inserting_after(node):
                now = graph.call_method("numel", (node,))
            with graph.inserting_after(now):
                ratio = graph.call_function(operator.truediv, (first, now))
            with graph.inserting_after(ratio):
                scaled = graph.call_function(aten.mul.Tensor, (node, ratio))
            scaled.meta["val"] = value(node)
            use_instead(node, scaled)
            now.args = (node,)


@fault("backward")
def divisors_of_gradients_are_those_seen_first(graph):
    """The gradient of a mean is divided by the size that was there first. When: the size is another."""
    for node in calls(graph, aten.div.Scalar, aten.div.Tensor):
        if _is_size(argument(node, 1)):
            _as_seen(node)


@fault("backward")
def two_saved_sizes_change_places(graph):
    """The backward takes the first two sizes that it is given for each other. When: they differ."""
    saved = _symbols(graph)
    if len(saved) > 1:
        first, second = saved[:2]
        for node in operations(graph):
            node.args = map_arg(
                node.args, lambda each: second if each is first else first if each is second else each
            )


@fault("guards")
def sizes_above_one_are_alike():
    """What a graph knows of its symbols, but for zero and one, is not guarded. When: a branch on a size goes the other way."""
    return Cache("strides", sizes=lambda sizes: tuple(min(each, 2) for each in sizes))


@fault("guards")
def sizes_are_guarded_by_their_parity():
    """Of a symbol it is guarded whether it is even. When: it is equal to another in one call and not in a later one."""
    return Cache("strides", sizes=lambda sizes: tuple((min(each, 2), each % 2) for each in sizes))


@fault("guards")
def symbols_are_guarded_below_four_alone():
    """Sizes from four on are one to the guard. When: what was four or more and equal is not any more."""
    return Cache("strides", sizes=lambda sizes: tuple(min(each, 4) for each in sizes))
