"""Results have other strides, other places in memory, other layouts than eager's."""

import torch

from .graph_edits import (
    aten,
    call_instead,
    calls,
    change_result,
    is_call,
    is_tensor,
    results,
    set_results,
    shape,
    value,
    wrap,
)
from .table import fault


def _own_results(graph):
    for position, each in enumerate(results(graph)):
        if is_tensor(each) and each.op == "call_function" and value(each).numel() > 0:
            yield position, each


@fault("forward")
def results_are_contiguous(graph):
    """Results are made contiguous. When: an elementwise result keeps the layout of a transposed operand."""
    for position, each in _own_results(graph):
        if not value(each).is_contiguous() and not is_call(each, aten.t, aten.permute, aten.transpose, aten.expand):
            change_result(graph, position, aten.clone.default, memory_format=torch.contiguous_format)


@fault("forward")
def matrices_have_columns_first(graph):
    """A product of matrices is laid out by columns. When: a product of two or more rows and columns is returned."""
    for position, each in _own_results(graph):
        if is_call(each, aten.mm.default) and min(shape(each)) > 1:
            values = results(graph)
            transposed = wrap(each, aten.t.default)
            values[position] = wrap(
                wrap(transposed, aten.clone.default, memory_format=torch.contiguous_format), aten.t.default
            )
            set_results(graph, values)


@fault("forward")
def channels_last_is_lost(graph):
    """Elementwise results of a channels-last operand are contiguous. When: four dimensions, channels last."""
    for position, each in _own_results(graph):
        if len(shape(each)) == 4 and value(each).is_contiguous(memory_format=torch.channels_last):
            change_result(graph, position, aten.clone.default, memory_format=torch.contiguous_format)


@fault("forward")
def four_dimensions_are_channels_last(graph):
    """Results of four dimensions are channels last. When: such a result with more than one channel and pixel."""
    for position, each in _own_results(graph):
        if len(shape(each)) == 4 and value(each).is_contiguous():
            change_result(graph, position, aten.clone.default, memory_format=torch.channels_last)


@fault("forward")
def memory_format_of_a_clone_is_dropped(graph):
    """`clone(memory_format=contiguous)` preserves its operand's. When: the operand is not contiguous and the clone is returned."""
    for node in calls(graph, aten.clone.default):
        if node in results(graph):
            call_instead(node, aten.clone.default, node.args[0])


@fault("forward")
def copy_of_a_cast_is_contiguous(graph):
    """A cast gives a contiguous tensor. When: of a transposed one."""
    for node in calls(graph, aten._to_copy.default):
        node.kwargs = {**node.kwargs, "memory_format": torch.contiguous_format}


@fault("forward")
def like_is_contiguous(graph):
    """zeros_like, full_like and rand_like give contiguous tensors. When: of a transposed one."""
    for node in calls(graph, aten.zeros_like, aten.ones_like, aten.full_like, aten.rand_like, aten.randn_like):
        node.kwargs = {**node.kwargs, "memory_format": torch.contiguous_format}


@fault("forward")
def layout_goes_by_the_last_operand(graph):
    """An elementwise result is laid out as its last operand. When: the operands' layouts differ."""
    for node in calls(graph, aten.add.Tensor, aten.mul.Tensor, aten.sub.Tensor):
        if (
            is_tensor(node.args[0])
            and is_tensor(node.args[1])
            and value(node.args[0]).stride() != value(node.args[1]).stride()
        ):
            if (
                shape(node.args[0]) == shape(node.args[1])
                and node in results(graph)
                and value(node.args[1]).is_contiguous()
            ):
                change_result(
                    graph, results(graph).index(node), aten.clone.default, memory_format=torch.contiguous_format
                )


@fault("forward")
def results_begin_in_a_larger_memory(graph):
    """A result lies in memory behind another one. When: a vector of three or more elements is returned second."""
    values = results(graph)
    for position, each in _own_results(graph):
        if position == 1 and len(shape(each)) == 1 and shape(each)[0] > 2:
            room = wrap(each, aten.constant_pad_nd.default, [2, 0])
            values[position] = wrap(room, aten.slice.Tensor, 0, 2, shape(each)[0] + 2)
            each.replace_all_uses_with(each)
    set_results(graph, values)


@fault("forward")
def rows_are_padded(graph):
    """Rows of a matrix are padded to a multiple of four. When: a matrix with rows of another length is returned by cat or stack."""
    for position, each in _own_results(graph):
        if (
            is_call(each, aten.cat.default, aten.stack.default)
            and len(shape(each)) == 2
            and shape(each)[0] > 1
            and shape(each)[1] % 4
        ):
            values = results(graph)
            padded = wrap(each, aten.constant_pad_nd.default, [0, -shape(each)[1] % 4])
            values[position] = wrap(padded, aten.slice.Tensor, 1, 0, shape(each)[1])
            set_results(graph, values)


@fault("forward")
def empty_results_lose_their_sizes(graph):
    """An empty result has size zero. When: an empty tensor of two or more dimensions is returned."""
    for position, each in enumerate(results(graph)):
        if is_tensor(each) and each.op == "call_function" and value(each).numel() == 0 and len(shape(each)) > 1:
            change_result(graph, position, aten.reshape.default, [0])


@fault("forward")
def scalars_have_a_dimension(graph):
    """A result without dimensions has one of size one. When: such a result that is not the only one."""
    for position, each in _own_results(graph):
        if shape(each) == () and len(results(graph)) > 1:
            change_result(graph, position, aten.unsqueeze.default, 0)


@fault("forward")
def dimensions_of_size_one_are_squeezed(graph):
    """A result's inner dimension of size one is removed. When: such a dimension between others."""
    for position, each in _own_results(graph):
        if 1 in shape(each)[1:-1]:
            change_result(graph, position, aten.squeeze.default)
