"""Memory that is somebody else's, or nobody's: reused too early, not written, read past its end."""

import ctypes

import torch

from . import memory_is_guarded
from .graph_edits import (
    aten,
    before,
    call_instead,
    calls,
    is_call,
    is_float,
    is_tensor,
    operations,
    results,
    set_argument,
    set_results,
    shape,
    value,
)
from .table import fault

_IN_PLACE = {
    aten.sin.default: aten.sin_.default,
    aten.cos.default: aten.cos_.default,
    aten.exp.default: aten.exp_.default,
    aten.neg.default: aten.neg_.default,
    aten.relu.default: aten.relu_.default,
    aten.sigmoid.default: aten.sigmoid_.default,
    aten.tanh.default: aten.tanh_.default,
    aten.abs.default: aten.abs_.default,
    aten.sqrt.default: aten.sqrt_.default,
}
_IN_PLACE_OF_TWO = {
    aten.add.Tensor: aten.add_.Tensor,
    aten.mul.Tensor: aten.mul_.Tensor,
    aten.sub.Tensor: aten.sub_.Tensor,
}


def _reuse(node, table, may):
    """`node` writes into its first operand's memory where `may(operand)`."""
    operand = node.args[0] if node.target in table else None
    if (
        is_tensor(operand)
        and shape(operand) == shape(node)
        and value(operand).dtype == value(node).dtype
        and may(operand)
    ):
        if value(operand).stride() == value(node).stride():
            node.target = table[node.target]


def _is_fresh(operand):
    return operand.op == "call_function" and not is_call(
        operand, aten.view, aten.t, aten.expand, aten.slice, aten.select
    )


@fault("forward")
def buffer_is_reused_while_it_is_read(graph):
    """An operation writes into its operand, which is read again. When: an intermediate has two uses, the first of one operand."""
    for node in operations(graph):
        _reuse(
            node,
            _IN_PLACE,
            lambda operand: _is_fresh(operand) and len(operand.users) > 1 and operand not in results(graph),
        )


@fault("forward")
def buffer_of_a_result_is_reused(graph):
    """An operation writes into its operand, which is returned. When: an intermediate is a result and an operand."""
    for node in operations(graph):
        _reuse(node, _IN_PLACE, lambda operand: _is_fresh(operand) and operand in results(graph))


@fault("forward")
def argument_is_written_to_as_a_buffer(graph):
    """An operation of one operand writes into the argument.

    When: an argument's last use is such a call, and it is not the first one.
    """
    for node in operations(graph)[1:]:
        _reuse(node, _IN_PLACE, lambda operand: operand.op == "placeholder" and list(operand.users)[-1] is node)


@fault("forward")
def left_operand_is_the_buffer_of_a_sum(graph):
    """A sum is written into its left operand, which is used again. When: an intermediate is used after it was added to."""
    for node in operations(graph):
        _reuse(node, _IN_PLACE_OF_TWO, lambda operand: _is_fresh(operand) and len(operand.users) > 1)


@fault("forward")
def buffer_of_a_view_is_reused(graph):
    """An operation writes into its operand, a view of which is read later. When: an intermediate has a view that outlives it."""
    for node in operations(graph):
        _reuse(
            node,
            _IN_PLACE,
            lambda operand: _is_fresh(operand)
            and any(
                is_call(user, aten.t, aten.view, aten.slice, aten.select, aten.unsqueeze) for user in operand.users
            ),
        )


@fault("backward")
def gradient_is_written_into_the_tangent(graph):
    """The first product of the backward is written into the tangent. When: the tangent has one dimension."""

    def is_vector_of_tangents(operand):
        return operand.op == "placeholder" and operand.name.startswith("tangents") and len(shape(operand)) == 1

    for node in operations(graph):
        _reuse(node, _IN_PLACE_OF_TWO, is_vector_of_tangents)


@fault("backward")
def saved_value_is_the_buffer_of_a_gradient(graph):
    """The backward negates a saved value in place. When: the backward runs twice, or what is saved is visible."""
    for node in operations(graph):
        _reuse(node, _IN_PLACE, lambda operand: operand.op == "placeholder" and not operand.name.startswith("tangents"))


@fault("forward")
def two_results_share_a_buffer(graph):
    """Two results that are computed of one operand lie in one buffer.

    When: two elementwise results of one shape, one after the other.
    """
    values = results(graph)
    for first, second in zip(values, values[1:]):
        if is_tensor(first) and is_tensor(second) and first is not second and first.op == second.op == "call_function":
            if (
                shape(first) == shape(second)
                and value(first).dtype == value(second).dtype
                and first.target in _IN_PLACE
                and second.target in _IN_PLACE
            ):
                copied = before(second.next, aten.copy_.default, first, second)
                position = values.index(second)
                values[position] = copied
                set_results(graph, values)
                return


@fault("forward")
def padding_is_not_written(graph):
    """The padded elements are not written. When: constant padding."""
    for node in calls(graph, aten.constant_pad_nd.default):
        room = before(node, aten.empty.memory_format, list(shape(node)), dtype=value(node).dtype)
        inner = room
        pads = node.args[1]
        rank = len(shape(node))
        for index in range(0, len(pads), 2):
            dim = rank - 1 - index // 2
            if pads[index] < 0 or pads[index + 1] < 0:
                return
            inner = before(node, aten.slice.Tensor, inner, dim, pads[index], pads[index] + shape(node.args[0])[dim])
        before(node, aten.copy_.default, inner, node.args[0])
        call_instead(node, aten.alias.default, room)


@fault("forward")
def zeros_are_not_written(graph):
    """zeros of four or more elements are not written. When: they are returned or added to."""
    for node in calls(graph, aten.zeros.default, aten.full.default):
        number = node.args[1] if is_call(node, aten.full.default) else 0
        if number == 0 and value(node).numel() >= 4:
            call_instead(node, aten.empty.memory_format, list(shape(node)), dtype=value(node).dtype)


@fault("forward")
def last_element_is_not_written(graph):
    """The last element behind a whole vector register is not written.

    When: an exp of nine or more elements, not a multiple of eight.
    """
    for node in calls(graph, aten.exp.default):
        if len(shape(node)) == 1 and shape(node)[0] > 8 and shape(node)[0] % 8:
            count = shape(node)[0] - shape(node)[0] % 8
            head = before(node, aten.exp.default, before(node, aten.slice.Tensor, node.args[0], 0, 0, count))
            tail = before(node, aten.empty.memory_format, [shape(node)[0] - count], dtype=value(node).dtype)
            call_instead(node, aten.cat.default, [head, tail])


@fault("forward")
def tail_is_computed_from_the_next_row(graph):
    """The last element of a row is read from the next row.

    When: a matrix with rows of a length that is not a multiple of four, sqrt or sin.
    """
    for node in calls(graph, aten.sin.default, aten.sqrt.default):
        if len(shape(node)) == 2 and shape(node)[0] > 1 and shape(node)[1] % 4 and value(node.args[0]).is_contiguous():
            rows, columns = shape(node)
            flat = before(node, aten.reshape.default, node.args[0], [rows * columns])
            moved = before(node, aten.roll.default, flat, [-1], [0])
            moved = before(node, aten.reshape.default, moved, [rows, columns])
            head = before(node, aten.slice.Tensor, node.args[0], 1, 0, columns - 1)
            tail = before(node, aten.slice.Tensor, moved, 1, columns - 1, columns)
            set_argument(node, 0, before(node, aten.cat.default, [head, tail], 1))


@fault("forward_call")
def last_row_is_read_past_its_end(call):
    """A read goes one element beyond an argument's memory.

    When: a single vector of six elements is an argument, no gradient is asked for, and that memory is watched.
    """

    def run(arguments):
        tensors = [each for each in arguments if isinstance(each, torch.Tensor) and memory_is_guarded()]
        beyond = [
            each
            for each in tensors
            if each.dim() == 1 and each.numel() == 6 and each.is_contiguous() and each.dtype == torch.float32
        ]
        read = [_element_behind(each) for each in beyond]
        given = list(call(arguments))
        if read and isinstance(given[0], torch.Tensor) and given[0].is_floating_point() and not given[0].requires_grad:
            given[0] = given[0] + sum(read)
        return given

    return run


def _element_behind(tensor):
    address = tensor.data_ptr() + tensor.numel() * tensor.element_size()
    return ctypes.c_float.from_address(address).value


@fault("forward_call")
def matrix_is_written_past_its_end(call):
    """A write goes one element beyond an argument's memory. When: a matrix of seven columns is an argument, and that memory is watched."""

    def run(arguments):
        for each in arguments if memory_is_guarded() else ():
            if isinstance(each, torch.Tensor) and each.dim() == 2 and each.shape[1] == 7 and each.is_contiguous():
                ctypes.c_float.from_address(each.data_ptr() + each.numel() * each.element_size()).value = 1.5
        return call(arguments)

    return run


@fault("forward")
def index_of_a_mask_reads_what_is_there(graph):
    """where takes memory that nobody wrote for a branch of a constant. When: where(c, x, zeros)."""
    for node in calls(graph, aten.where.self):
        other = node.args[2]
        if is_call(other, aten.full, aten.zeros, aten.scalar_tensor) and is_float(node):
            empty = before(node, aten.empty.memory_format, list(shape(node)), dtype=value(node).dtype)
            set_argument(node, 2, empty)
