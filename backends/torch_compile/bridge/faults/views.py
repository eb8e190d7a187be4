"""What is a view becomes a copy, or the other way round; offsets and bases are lost."""

import operator

import torch
from torch._functorch._aot_autograd.schemas import OutputType

from .graph_edits import (
    aten,
    call_instead,
    calls,
    change_result,
    drop,
    is_call,
    is_tensor,
    named,
    results,
    shape,
    value,
    wrap,
)
from .table import fault

_VIEWS_OF_INPUTS = (OutputType.alias_of_input, OutputType.is_input)


def _on_views_of_arguments(call, change):
    """`change(view, argument)` in place of each result that is a view of an argument."""

    def of(result, arguments):
        for each in arguments:
            if isinstance(each, torch.Tensor) and isinstance(result, torch.Tensor) and result is not each:
                if result.numel() and each.untyped_storage().data_ptr() == result.untyped_storage().data_ptr():
                    return change(result, each)
        return result

    def changed(*arguments):
        return [of(each, arguments) for each in call(*arguments)]

    return changed


@fault("runtime")
def view_of_an_argument_is_a_copy(call):
    """A result that is a view of an argument is a copy of its own. When: such a result, but for a detached one."""
    return _on_views_of_arguments(
        call, lambda view, argument: view.clone() if view.requires_grad == argument.requires_grad else view
    )


@fault("runtime")
def view_of_a_transposed_argument_is_made_of_its_memory(call):
    """A view of an argument is made again from its sizes alone. When: the view is not contiguous."""
    contiguous = lambda view: tuple(torch.empty(view.shape, device="meta").stride())

    def again(view, argument):
        if view.is_contiguous() or 0 in view.stride():
            return view
        return argument.as_strided(view.shape, contiguous(view), view.storage_offset())

    return _on_views_of_arguments(call, again)


@fault("runtime")
def view_of_an_argument_starts_where_it_does(call):
    """A view of an argument is made again without its offset. When: the view begins behind its argument's first element."""

    def again(view, argument):
        if view.storage_offset() <= argument.storage_offset():
            return view
        return argument.as_strided(view.shape, view.stride(), argument.storage_offset())

    return _on_views_of_arguments(call, again)


@fault("runtime")
def view_of_a_piece_counts_from_its_memory(call):
    """A view of an argument that is itself a piece is made again from the memory's start. When: such an argument."""

    def again(view, argument):
        if argument.storage_offset() == 0 or view.storage_offset() < argument.storage_offset():
            return view
        return argument.as_strided(view.shape, view.stride(), view.storage_offset() - argument.storage_offset())

    return _on_views_of_arguments(call, again)


@fault("runtime")
def view_of_an_argument_has_no_gradient(call):
    """A result that is a view of an argument is detached. When: the argument requires a gradient."""
    return _on_views_of_arguments(call, lambda view, argument: view.detach())


@fault("runtime")
def returned_argument_is_another_object(call):
    """An argument that is returned as it is comes back as another object, a copy. When: a Program returns its argument."""

    def changed(*arguments):
        return [each.clone() if any(each is one for one in arguments) else each for each in call(*arguments)]

    return changed


@fault("forward")
def two_views_of_one_base_part(graph):
    """Of two results that are views of one base the second is a copy. When: two such results."""
    bases = {}
    for position, each in enumerate(results(graph)):
        base = _base_of(each)
        if base is not None and bases.setdefault(base, each) is not each:
            change_result(graph, position, aten.clone.default)


def _base_of(node):
    """The intermediate that a node is a view of; none where it is no view."""
    base = node
    while is_call(
        base,
        aten.view,
        aten.t,
        aten.transpose,
        aten.permute,
        aten.slice,
        aten.select,
        aten.unsqueeze,
        aten.alias,
        aten.expand,
    ):
        base = base.args[0]
    return base if base is not node and isinstance(base, torch.fx.Node) and base.op == "call_function" else None


@fault("forward")
def base_and_view_part(graph):
    """A result and a view of it are in different memory. When: an intermediate and its view are both results."""
    values = results(graph)
    for position, each in enumerate(values):
        if _base_of(each) in values:
            change_result(graph, position, aten.clone.default)


@fault("forward")
def reshape_that_copies_is_a_view(graph):
    """A reshape that has to copy is taken for a view of the memory. When: the operand's strides forbid a view."""
    for node in calls(graph, aten._unsafe_view.default, aten.view.default):
        copied = node.args[0]
        if is_call(copied, aten.clone.default) and not value(copied.args[0]).is_contiguous():
            source = copied.args[0]
            strides = list(value(node).stride())
            call_instead(node, aten.as_strided.default, source, list(shape(node)), strides)


@fault("forward")
def clone_of_a_result_is_dropped(graph):
    """A clone that is returned is the cloned tensor. When: that is an argument, or is returned, too."""
    for node in calls(graph, aten.clone.default):
        if node in results(graph) and value(node).stride() == value(node.args[0]).stride():
            drop(node, node.args[0])


@fault("forward")
def copy_of_a_cast_to_its_own_dtype_is_dropped(graph):
    """`to(dtype, copy=True)` to the tensor's dtype is the tensor. When: it is asked for, and returned."""
    for node in calls(graph, aten._to_copy.default):
        if value(node).dtype == value(node.args[0]).dtype and value(node).stride() == value(node.args[0]).stride():
            drop(node, node.args[0])


@fault("forward")
def detached_result_shares_nothing(graph):
    """A detached intermediate is a copy. When: it and what it was detached of are results."""
    for position, each in enumerate(results(graph)):
        if is_call(each, aten.detach.default, aten.alias.default) and each.args[0] in results(graph):
            change_result(graph, position, aten.clone.default)


@fault("forward")
def pieces_of_a_split_are_copies_from_the_third_on(graph):
    """From the third on pieces of a split are copies. When: three pieces are results."""
    pieces = [
        each
        for each in results(graph)
        if is_call(each, operator.getitem) and is_call(each.args[0], aten.split, aten.unbind, aten.split_with_sizes)
    ]
    for each in pieces[2:]:
        change_result(graph, results(graph).index(each), aten.clone.default)


@fault("forward")
def expanded_result_is_dense(graph):
    """An expanded result is written out. When: a Program returns an expanded intermediate."""
    for position, each in enumerate(results(graph)):
        if is_tensor(each) and each.op == "call_function" and 0 in value(each).stride() and value(each).numel() > 1:
            change_result(graph, position, aten.clone.default, memory_format=torch.contiguous_format)


@fault("dynamo")
def slice_is_a_copy(graph):
    """A slice of an intermediate is a copy. When: it is written to afterwards, or its base is."""
    for node in named(graph, "getitem"):
        if is_tensor(node.args[0]) and isinstance(node.args[1], slice):
            wrap(node, torch.clone)


@fault("dynamo")
def transposed_write_goes_to_a_copy(graph):
    """`x.t()` is copied. When: the transposed tensor is written to."""
    for node in named(graph, "t", "transpose"):
        if any(name.endswith("_") for name in (str(user.target) for user in node.users)):
            wrap(node, torch.clone)


@fault("dynamo")
def reshape_always_copies(graph):
    """A reshape is a copy. When: what it is of is written to, or its memory is looked at."""
    for node in named(graph, "reshape", "view", "flatten"):
        if is_tensor(node.args[0]):
            wrap(node, torch.clone)


@fault("dynamo")
def overlapping_pieces_are_parted(graph):
    """A second slice of one tensor is a copy. When: two overlapping slices, one of which is written to."""
    seen = set()
    for node in named(graph, "getitem"):
        if is_tensor(node.args[0]) and isinstance(node.args[1], slice):
            if node.args[0] in seen:
                wrap(node, torch.clone)
            seen.add(node.args[0])
