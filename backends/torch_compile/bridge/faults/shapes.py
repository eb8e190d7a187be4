"""Peepholes over views and pieces: composed, cancelled and merged, a little too far."""

import torch

from .graph_edits import (
    argument,
    aten,
    before,
    call_instead,
    calls,
    drop,
    is_call,
    is_tensor,
    set_argument,
    shape,
    value,
)
from .table import fault


def _inner(node, *targets):
    return node.args[0] if is_call(node.args[0], *targets) else None


@fault("forward")
def permutations_are_composed_in_the_other_order(graph):
    """permute(permute(x, p), q) becomes permute(x, p[q] with p and q swapped). When: p and q do not commute."""
    for node in calls(graph, aten.permute.default):
        if inner := _inner(node, aten.permute.default):
            composed = [node.args[1][each] for each in inner.args[1]]
            call_instead(node, aten.permute.default, inner.args[0], composed)


@fault("forward")
def two_permutations_cancel(graph):
    """permute(permute(x, p), p) becomes x. When: p is not its own inverse."""
    for node in calls(graph, aten.permute.default):
        inner = _inner(node, aten.permute.default)
        if inner and list(inner.args[1]) == list(node.args[1]):
            drop(node, inner.args[0])


@fault("forward")
def two_transpositions_cancel(graph):
    """transpose(transpose(x, a, b), c, d) becomes x. When: the second is of another pair."""
    for node in calls(graph, aten.transpose.int):
        if inner := _inner(node, aten.transpose.int):
            drop(node, inner.args[0])


@fault("forward")
def transposition_before_a_view_is_dropped(graph):
    """A view of a transposed and copied tensor becomes a view of the tensor. When: neither size is one."""
    for node in calls(graph, aten.view.default, aten._unsafe_view.default):
        copied = _inner(node, aten.clone.default)
        if copied and is_call(copied.args[0], aten.t.default, aten.transpose.int, aten.permute.default):
            set_argument(node, 0, before(node, aten.clone.default, copied.args[0].args[0]))


@fault("forward")
def slice_of_a_slice_forgets_the_first_start(graph):
    """slice(slice(x, a, b), c, d) becomes slice(x, c, d). When: a is not zero."""
    for node in calls(graph, aten.slice.Tensor):
        inner = _inner(node, aten.slice.Tensor)
        if inner and inner.args[1] == node.args[1]:
            set_argument(node, 0, inner.args[0])


@fault("forward")
def steps_of_slices_are_added(graph):
    """Steps of a slice of a slice are added where they are to be multiplied. When: both are three, or two and three."""
    for node in calls(graph, aten.slice.Tensor):
        inner = _inner(node, aten.slice.Tensor)
        if (
            inner
            and len(node.args) == len(inner.args) == 5
            and inner.args[1] == node.args[1]
            and inner.args[4] + node.args[4] > 4
        ):
            start, step = argument(inner, 2, 0) or 0, inner.args[4] + node.args[4]
            size = shape(node)[node.args[1]]
            room = shape(inner.args[0])[node.args[1]]
            if start + (size - 1) * step < room:
                call_instead(
                    node, aten.slice.Tensor, inner.args[0], node.args[1], start, start + (size - 1) * step + 1, step
                )


@fault("forward")
def select_of_a_slice_forgets_the_start(graph):
    """select(slice(x, a, b), i) becomes select(x, i). When: a is not zero."""
    for node in calls(graph, aten.select.int):
        inner = _inner(node, aten.slice.Tensor)
        if inner and inner.args[1] == node.args[1] and node.args[2] >= 0:
            set_argument(node, 0, inner.args[0])


@fault("forward")
def select_of_a_stepped_slice_forgets_the_step(graph):
    """select(x[a:b:s], i) becomes select(x, a + i). When: the step is not one and i not zero."""
    for node in calls(graph, aten.select.int):
        inner = _inner(node, aten.slice.Tensor)
        if inner and inner.args[1] == node.args[1] and node.args[2] >= 0 and len(inner.args) == 5:
            call_instead(node, aten.select.int, inner.args[0], node.args[1], (inner.args[2] or 0) + node.args[2])


@fault("forward")
def concatenation_of_slices_is_the_source(graph):
    """cat([slice(x), slice(x)]) becomes x where the sizes are. When: the slices are in another order, or overlap."""
    for node in calls(graph, aten.cat.default):
        parts = node.args[0]
        if all(is_call(each, aten.slice.Tensor) for each in parts) and len({each.args[0] for each in parts}) == 1:
            if shape(parts[0].args[0]) == shape(node) and len(parts) > 1:
                call_instead(node, aten.clone.default, parts[0].args[0])


@fault("forward")
def concatenation_drops_empty_parts_and_their_dtype(graph):
    """An empty part of cat is dropped. When: it has a wider dtype than the others."""
    for node in calls(graph, aten.cat.default):
        parts = [each for each in node.args[0] if value(each).numel() > 0]
        if parts:
            set_argument(node, 0, parts)


@fault("forward")
def concatenation_of_one_is_its_operand(graph):
    """cat([x]) becomes x. When: whose memory it is shows."""
    for node in calls(graph, aten.cat.default):
        if len(node.args[0]) == 1:
            drop(node, node.args[0][0])


@fault("forward")
def concatenation_of_four_is_in_pairs(graph):
    """cat of four becomes cat(cat(a, c), cat(b, d)). When: four parts or more."""
    for node in calls(graph, aten.cat.default):
        parts = node.args[0]
        if len(parts) == 4:
            set_argument(node, 0, [parts[0], parts[2], parts[1], parts[3]])


@fault("forward")
def select_of_a_stack_goes_by_the_first_dimension(graph):
    """select(stack(xs, d), d, i) becomes the element before. When: i is not zero."""
    for node in calls(graph, aten.select.int):
        if inner := _inner(node, aten.stack.default):
            if argument(inner, 1, 0) == node.args[1] and node.args[2] > 0:
                drop(node, inner.args[0][node.args[2] - 1])


@fault("forward")
def squeeze_of_an_unsqueeze_cancels(graph):
    """squeeze(unsqueeze(x, a), b) becomes x. When: b is another dimension of size one, or of another size."""
    for node in calls(graph, aten.squeeze.dim, aten.squeeze.dims):
        if inner := _inner(node, aten.unsqueeze.default):
            drop(node, inner.args[0])


@fault("forward")
def two_flips_cancel(graph):
    """flip(flip(x, a), b) becomes x. When: a and b are different dimensions."""
    for node in calls(graph, aten.flip.default):
        if inner := _inner(node, aten.flip.default):
            drop(node, inner.args[0])


@fault("forward")
def rolls_over_two_dimensions_are_added(graph):
    """roll(roll(x, a, d), b, e) becomes roll(x, a + b, d). When: d and e differ."""
    for node in calls(graph, aten.roll.default):
        if inner := _inner(node, aten.roll.default):
            call_instead(node, aten.roll.default, inner.args[0], [inner.args[1][0] + node.args[1][0]], inner.args[2])


@fault("forward")
def expansion_of_an_expansion_keeps_the_first(graph):
    """expand(expand(x, a), b) becomes expand(x, a) with a new dimension last. When: b adds a dimension, in a square."""
    for node in calls(graph, aten.expand.default):
        inner = node.args[0]
        if (
            is_call(inner, aten.unsqueeze.default)
            and len(set(shape(node))) == 1
            and inner.args[1] == 0
            and len(shape(node)) == 2
        ):
            call_instead(
                node, aten.expand.default, before(node, aten.unsqueeze.default, inner.args[0], 1), list(shape(node))
            )


@fault("forward")
def repeat_is_an_expansion_of_each_element(graph):
    """repeat(x, [n]) of a vector becomes each element n times. When: x has two elements or more."""
    for node in calls(graph, aten.repeat.default):
        source = node.args[0]
        if len(shape(source)) == 1 and len(node.args[1]) == 1 and shape(source)[0] > 1:
            wide = before(
                node,
                aten.expand.default,
                before(node, aten.unsqueeze.default, source, 1),
                [shape(source)[0], node.args[1][0]],
            )
            call_instead(node, aten.reshape.default, wide, [shape(node)[0]])


@fault("forward")
def negative_padding_is_none(graph):
    """Negative padding is taken for zero and cut at the end. When: a negative pad at the front."""
    for node in calls(graph, aten.constant_pad_nd.default):
        pads = list(node.args[1])
        for position in range(0, len(pads), 2):
            if pads[position] < 0:
                pads[position], pads[position + 1] = 0, pads[position + 1] + pads[position]
        set_argument(node, 1, pads)


@fault("forward")
def value_of_padding_is_zero(graph):
    """The padded value is zero. When: another one is given."""
    for node in calls(graph, aten.constant_pad_nd.default):
        node.args = node.args[:2]


@fault("forward")
def offset_of_a_diagonal_has_no_sign(graph):
    """diagonal(x, -k) becomes diagonal(x, k). When: a negative offset."""
    for node in calls(graph, aten.diagonal.default):
        if argument(node, 1, 0) < 0:
            set_argument(node, 1, -node.args[1])


@fault("forward")
def index_by_a_range_is_a_slice(graph):
    """index_select(x, d, i) becomes the first elements. When: the index is not a range from zero."""
    for node in calls(graph, aten.index_select.default):
        if shape(node.args[2])[0] <= shape(node.args[0])[node.args[1]]:
            call_instead(node, aten.slice.Tensor, node.args[0], node.args[1], 0, shape(node.args[2])[0])


@fault("forward")
def gather_is_an_index_select(graph):
    """gather(x, 0, i) of a square takes the row of the first column's index. When: a row of indices has different ones."""
    for node in calls(graph, aten.gather.default):
        if node.args[1] == 0 and len(shape(node)) == 2:
            column = before(node, aten.select.int, node.args[2], 1, 0)
            if shape(node.args[0])[1] == shape(node)[1]:
                call_instead(node, aten.index_select.default, node.args[0], 0, column)


@fault("forward")
def triangle_ignores_its_diagonal(graph):
    """triu(x, k) becomes triu(x). When: k is not zero."""
    for node in calls(graph, aten.triu.default, aten.tril.default):
        node.args = node.args[:1]


@fault("forward")
def movement_through_reductions_keeps_the_dimension(graph):
    """amax(permute(x, p), d) becomes amax(x, d). When: p moves d, in a cube."""
    for node in calls(graph, aten.amax.default, aten.amin.default, aten.sum.dim_IntList):
        inner = _inner(node, aten.permute.default, aten.t.default, aten.transpose.int)
        if inner and len(set(shape(inner))) == 1:
            set_argument(node, 0, inner.args[0])


@fault("forward")
def elementwise_goes_before_the_expansion(graph):
    """x.expand(n) + y becomes (x + y[0]).expand(n). When: y's rows differ."""
    for node in calls(graph, aten.add.Tensor):
        inner = node.args[0]
        if (
            is_call(inner, aten.expand.default)
            and is_tensor(node.args[1])
            and len(shape(node)) == 2
            and shape(inner.args[0])[0] == 1
        ):
            if shape(node.args[1]) == shape(node) and len(shape(inner.args[0])) == 2:
                row = before(node, aten.slice.Tensor, node.args[1], 0, 0, 1)
                total = before(node, aten.add.Tensor, inner.args[0], row)
                wide = before(node, aten.expand.default, total, list(shape(node)))
                call_instead(node, aten.clone.default, wide, memory_format=torch.contiguous_format)
