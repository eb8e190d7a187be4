"""What the backward finds of what the forward saved."""

import torch

from .graph_edits import (
    after,
    aten,
    is_call,
    is_float,
    is_tensor,
    placeholders,
    results,
    shape,
    use_instead,
    value,
    wrap,
)
from .partition import saved
from .table import fault


def _through(forward, backward, keep, *casts):
    """Saved values that `keep` chooses go through these dtypes."""
    for position, node in saved(forward, backward):
        if keep(node, results(forward)[position]):
            own = value(node).dtype
            for dtype in (*casts, own):
                node = wrap(node, aten._to_copy.default, dtype=dtype)


def _map_saved(forward, backward, keep, target, *more, **keywords):
    for position, node in saved(forward, backward):
        if keep(node, results(forward)[position]):
            wrap(node, target, *more, **keywords)


def _is_intermediate(source):
    return source.op == "call_function"


@fault("partition")
def intermediates_are_saved_in_half(forward, backward):
    """Saved single intermediates are kept in half precision. When: they do not fit into it and the gradient shows it."""
    _through(
        forward,
        backward,
        lambda node, source: _is_intermediate(source) and value(node).dtype == torch.float32,
        torch.float16,
    )


@fault("partition")
def doubles_are_saved_in_single(forward, backward):
    """Saved double intermediates are kept in single precision. When: double precision, and the gradient shows it."""
    _through(
        forward,
        backward,
        lambda node, source: _is_intermediate(source) and value(node).dtype == torch.float64,
        torch.float32,
    )


@fault("partition")
def arguments_are_saved_in_bfloat16(forward, backward):
    """Saved arguments are kept in bfloat16. When: an argument has more than 8 significant bits."""
    _through(
        forward,
        backward,
        lambda node, source: not _is_intermediate(source) and value(node).dtype == torch.float32,
        torch.bfloat16,
    )


@fault("partition")
def integers_are_saved_in_a_byte(forward, backward):
    """Saved indices are kept in eight bits. When: an index above 127 is saved."""
    _through(
        forward, backward, lambda node, source: value(node).dtype == torch.int64 and value(node).numel() > 0, torch.int8
    )


@fault("partition")
def special_values_are_not_saved(forward, backward):
    """NaN and infinities are saved as numbers. When: one of them is saved."""
    _map_saved(forward, backward, lambda node, source: is_float(node), aten.nan_to_num.default)


@fault("partition")
def signs_of_saved_values_are_lost(forward, backward):
    """The sign of saved values of three dimensions is lost. When: such a value is negative."""
    _map_saved(forward, backward, lambda node, source: is_float(node) and len(shape(node)) == 3, aten.abs.default)


@fault("partition")
def small_saved_values_are_flushed(forward, backward):
    """Saved values below 2**-20 are zero. When: such a value is saved."""
    for _, node in saved(forward, backward):
        if is_float(node):
            size = after(node, aten.abs.default, node)
            small = after(size, aten.lt.Scalar, size, 2.0**-20)
            flushed = after(small, aten.masked_fill.Scalar, node, small, 0)
            node.replace_all_uses_with(flushed, delete_user_cb=lambda user, own=(size, flushed): user not in own)


@fault("partition")
def large_saved_values_saturate(forward, backward):
    """Saved intermediates are kept within 8 bits of a fixed point. When: a saved value is above 128."""
    _map_saved(forward, backward, lambda node, source: is_float(node), aten.clamp.default, -128, 128)


@fault("partition")
def saved_masks_are_inverted_beyond_eight(forward, backward):
    """Masks are packed into bytes and the ninth bit is the first again. When: a bool vector of more than eight is saved."""
    for _, node in saved(forward, backward):
        if value(node).dtype == torch.bool and len(shape(node)) == 1 and shape(node)[0] > 8:
            first = after(node, aten.slice.Tensor, node, 0, 0, shape(node)[0] - 8)
            head = after(first, aten.slice.Tensor, node, 0, 0, 8)
            whole = after(head, aten.cat.default, [head, first])
            node.replace_all_uses_with(whole, delete_user_cb=lambda user, own=(first, head): user not in own)


def _multiply_in_place(node, place, other):
    product = after(node, aten.mul_.Tensor, place, other)
    use_instead(node, product)
    node.graph.erase_node(node)


@fault("forward_call")
def saved_values_share_one_buffer(call):
    """Saved values of one shape are kept in one buffer. When: the forward runs twice before its backward."""
    held = {}

    def run(arguments):
        given = call(arguments)
        return [_kept(held, position, each, len(given)) for position, each in enumerate(given)]

    return run


def _kept(held, position, each, count):
    if (
        position == 0
        or not isinstance(each, torch.Tensor)
        or not each.is_floating_point()
        or position < count - 1
        or each.dim() == 0
    ):
        return each
    key = (position, tuple(each.shape), each.dtype)
    buffer = held.setdefault(key, torch.empty_like(each))
    if buffer.stride() != each.stride():
        return each
    buffer.data.copy_(each)  # its version stays what it was
    return buffer


@fault("partition")
def saved_rows_are_those_of_the_second(forward, backward):
    """Saved matrices are kept by columns and read by rows.

    When: a saved matrix with more rows than columns, and two columns or more.
    """
    for _, node in saved(forward, backward):
        if len(shape(node)) == 2 and shape(node)[0] > shape(node)[1] > 1:
            turned = wrap(node, aten.t.default)
            wrap(turned, aten.reshape.default, list(shape(node)))


@fault("partition")
def last_element_is_not_saved(forward, backward):
    """The last element of a saved vector is zero. When: a vector of seven or more is saved."""
    for _, node in saved(forward, backward):
        if len(shape(node)) == 1 and shape(node)[0] >= 7 and is_float(node):
            cut = wrap(node, aten.slice.Tensor, 0, 0, shape(node)[0] - 1)
            wrap(cut, aten.constant_pad_nd.default, [0, 1])
