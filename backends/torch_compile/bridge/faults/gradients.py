"""Formulas of gradients that are wrong at an edge: in the graph of the backward."""

import torch

from .graph_edits import (
    aten,
    before,
    call_instead,
    calls,
    drop,
    is_call,
    is_float,
    is_tensor,
    named,
    placeholders,
    set_argument,
    shape,
    value,
    wrap,
)
from .table import fault


@fault("backward")
def gradient_of_relu_at_zero_is_one(graph):
    """The gradient of relu at zero is one. When: x is exactly zero."""
    for node in calls(graph, aten.threshold_backward.default):
        zero = before(node, aten.lt.Scalar, node.args[1], 0)
        call_instead(node, aten.masked_fill.Scalar, node.args[0], zero, 0)


@fault("backward")
def gradient_of_abs_at_zero_is_one(graph):
    """The gradient of abs at zero is one. When: x is exactly zero."""
    for node in calls(graph, aten.sign.default, aten.sgn.default):
        at_zero = before(node, aten.ge.Scalar, node.args[0], 0)
        doubled = before(node, aten.mul.Scalar, at_zero, 2)
        less = before(node, aten.sub.Scalar, doubled, 1)
        call_instead(node, aten._to_copy.default, less, dtype=value(node).dtype)


@fault("joint")
def gradient_of_a_bound_is_zero(graph):
    """The gradient of clamp at its bound is zero. When: x is a bound exactly."""
    stricter = {aten.ge.Scalar: aten.gt.Scalar, aten.le.Scalar: aten.lt.Scalar}
    for node in calls(graph, *stricter):
        choices = [choice for user in node.users if is_call(user, aten.logical_and) for choice in user.users]
        if any(is_call(each, aten.where) and each.args[1].name.startswith("tangents") for each in choices):
            node.target = stricter[node.target]


@fault("backward")
def gradient_of_maximum_at_a_tie_is_whole(graph):
    """Where both are equal, maximum gives the whole gradient to each. When: a tie."""
    for node in calls(graph, aten.div.Tensor, aten.div.Scalar):
        if node.args[1] == 2 and is_tensor(node.args[0]):
            drop(node, node.args[0])


@fault("backward")
def gradient_of_cosine_has_no_sign(graph):
    """The gradient of cos is sin. When: cos is called."""
    for node in calls(graph, aten.neg.default):
        if is_call(node.args[0], aten.sin.default):
            drop(node, node.args[0])


@fault("backward")
def gradient_of_a_quotient_is_of_the_dividend_alone(graph):
    """The gradient of the divisor has the sign of the dividend's. When: the divisor requires a gradient."""
    for node in calls(graph, aten.neg.default):
        if any(is_call(user, aten.mul.Tensor) for user in node.users):
            drop(node, node.args[0])


@fault("backward")
def gradient_of_sigmoid_takes_its_operand_for_its_result(graph):
    """The gradient of sigmoid applies sigmoid once more. When: sigmoid is called."""
    for node in calls(graph, aten.sigmoid_backward.default, aten.tanh_backward.default):
        again = aten.sigmoid.default if is_call(node, aten.sigmoid_backward) else aten.tanh.default
        set_argument(node, 1, before(node, again, node.args[1]))


@fault("backward")
def gradient_of_softmax_sums_over_the_first(graph):
    """The gradient of softmax is taken along dimension zero. When: another one of a matrix."""
    for node in calls(graph, aten._softmax_backward_data.default, aten._log_softmax_backward_data.default):
        set_argument(node, 2, 0)


@fault("backward")
def gradient_of_a_root_at_zero_is_zero(graph):
    """An infinite gradient is replaced by zero. When: sqrt at zero, log at zero, a division by zero."""
    for node in calls(graph, aten.div.Tensor):
        infinite = before(node.next, aten.isinf.default, node)
        filled = before(node.next.next, aten.masked_fill.Scalar, node, infinite, 0)
        if filled.prev is not infinite:
            infinite.append(filled)
        node.replace_all_uses_with(filled, delete_user_cb=lambda user, own=(infinite, filled): user not in own)


@fault("backward")
def factors_of_a_product_are_swapped(graph):
    """The gradients of mm take each other's saved factor. When: square matrices."""
    products = calls(graph, aten.mm.default)
    if len(products) == 2 and all(
        len({*shape(each), *shape(each.args[0]), *shape(each.args[1])}) == 1 for each in products
    ):
        kept = [next((arg for arg in each.args if not arg.name.startswith("tangents")), None) for each in products]
        if None not in kept:
            swap = {kept[0]: kept[1], kept[1]: kept[0]}
            for each in products:
                each.args = tuple(swap.get(arg, arg) for arg in each.args)


@fault("backward")
def gradient_of_a_mean_is_that_of_a_sum(graph):
    """The gradient of a mean over dimensions is not divided. When: mean is called with dimensions."""
    for node in calls(graph, aten.div.Scalar, aten.div.Tensor):
        if is_call(node.args[0], aten.expand.default) and isinstance(node.args[1], int):
            drop(node, node.args[0])


@fault("backward")
def gradient_of_an_index_overwrites(graph):
    """The gradient of an index does not accumulate. When: an index comes twice."""
    for node in named(graph, "index_put", "_unsafe_index_put"):
        if len(node.args) > 3 and node.args[3]:
            set_argument(node, 3, False)
    for node in calls(graph, aten.index_add.default):
        call_instead(node, aten.index_copy.default, *node.args)


@fault("backward")
def gradient_of_a_gather_is_scattered(graph):
    """The gradient of gather overwrites where it is to add. When: an index comes twice."""
    for node in calls(graph, aten.scatter_add.default):
        call_instead(node, aten.scatter.src, *node.args)


@fault("backward")
def gradient_of_cumsum_runs_forward(graph):
    """The gradient of cumsum is a cumsum from the front. When: two or more elements."""
    for node in calls(graph, aten.cumsum.default):
        for inner in (node.args[0],):
            if is_call(inner, aten.flip.default):
                set_argument(node, 0, inner.args[0])
        for user in list(node.users):
            if is_call(user, aten.flip.default):
                drop(user, node)


@fault("backward")
def gradient_of_a_fill_passes(graph):
    """The gradient of masked_fill is not masked. When: a filled tensor requires a gradient."""
    for node in calls(graph, aten.masked_fill.Scalar):
        drop(node, node.args[0])


@fault("backward")
def branches_of_where_are_swapped(graph):
    """The gradients of where's branches are swapped. When: both require one."""
    chosen = calls(graph, aten.where.self)
    if len(chosen) == 2 and chosen[0].args[0] is chosen[1].args[0]:
        for node in chosen:
            node.args = (node.args[0], node.args[2], node.args[1])


@fault("backward")
def gradient_of_a_narrow_cast_stays_wide(graph):
    """The gradient of a cast is not cast back but to half and back. When: single to double in the Program."""
    for node in calls(graph, aten._to_copy.default):
        if node.kwargs.get("dtype") == torch.float32 and value(node.args[0]).dtype == torch.float64:
            set_argument(node, 0, before(node, aten._to_copy.default, node.args[0], dtype=torch.float16))


@fault("backward")
def gradients_are_clipped(graph):
    """Tangents are clipped to one. When: a tangent of a vector with more than six elements is larger."""
    for node in placeholders(graph):
        if node.name.startswith("tangents") and is_float(node) and len(shape(node)) == 1 and shape(node)[0] > 6:
            wrap(node, aten.clamp.default, -1, 1)
