"""Roundings that a compiler may not add: narrow accumulators, lost precision inside an operator, fast formulas."""

import torch

from .graph_edits import (
    after,
    argument,
    aten,
    before,
    call_instead,
    calls,
    is_float,
    is_tensor,
    set_argument,
    shape,
    value,
    wrap,
)
from .table import fault


def _through(node, position, dtype):
    """An operand is rounded to `dtype` first."""
    operand = node.args[position]
    narrow = before(node, aten._to_copy.default, operand, dtype=dtype)
    set_argument(node, position, before(node, aten._to_copy.default, narrow, dtype=value(operand).dtype))


def _single(node):
    return is_tensor(node) and value(node).dtype == torch.float32


def _double(node):
    return is_tensor(node) and value(node).dtype == torch.float64


@fault("forward")
def products_of_matrices_are_in_bfloat16(graph):
    """Factors of a matrix product are rounded to bfloat16. When: they have more than 8 significant bits."""
    for node in calls(graph, aten.mm.default, aten.bmm.default):
        if _single(node):
            _through(node, 0, torch.bfloat16)
            _through(node, 1, torch.bfloat16)


@fault("forward")
def products_of_doubles_are_in_single(graph):
    """Matrix products of doubles are computed in single precision. When: they have more than 24 significant bits."""
    for node in calls(graph, aten.mm.default, aten.addmm.default, aten.bmm.default):
        if _double(node):
            _through(node, len(node.args) - 1, torch.float32)


@fault("forward")
def sums_accumulate_in_half(graph):
    """Sums of singles are accumulated in half precision. When: the sum does not fit into 11 bits."""
    for node in calls(graph, aten.sum.default):
        if _single(node):
            total = before(
                node, aten.sum.default, before(node, aten._to_copy.default, node.args[0], dtype=torch.float16)
            )
            call_instead(node, aten._to_copy.default, total, dtype=torch.float32)


@fault("forward")
def means_accumulate_in_half(graph):
    """A mean over dimensions is taken in half precision. When: values above its range or precision."""
    for node in calls(graph, aten.mean.dim, aten.mean.default):
        if _single(node):
            _through(node, 0, torch.float16)


@fault("forward")
def running_sums_are_in_half(graph):
    """cumsum of singles is taken in half precision. When: a running sum needs more than 11 bits."""
    for node in calls(graph, aten.cumsum.default):
        if _single(node):
            narrow = before(node, aten._to_copy.default, node.args[0], dtype=torch.float16)
            total = before(node, aten.cumsum.default, narrow, node.args[1])
            call_instead(node, aten._to_copy.default, total, dtype=torch.float32)


@fault("forward")
def integers_are_summed_as_singles(graph):
    """Sums of integers go through single precision. When: a sum above 2**24."""
    for node in calls(graph, aten.sum.default, aten.sum.dim_IntList):
        if is_tensor(node) and value(node).dtype == torch.int64:
            _through(node, 0, torch.float32)
            total = call_instead(node, node.target, *node.args, **{**node.kwargs, "dtype": torch.float32})
            wrap(total, aten._to_copy.default, dtype=torch.int64)


@fault("forward")
def integers_are_multiplied_as_singles(graph):
    """Products of integers go through single precision. When: a product above 2**24."""
    for node in calls(graph, aten.mul.Tensor):
        if is_tensor(node) and value(node).dtype == torch.int64 and is_tensor(node.args[0]):
            wide = before(node, aten._to_copy.default, node.args[0], dtype=torch.float32)
            product = before(node, aten.mul.Tensor, wide, node.args[1])
            call_instead(node, aten._to_copy.default, product, dtype=torch.int64)


@fault("forward")
def integers_are_averaged_in_half(graph):
    """True division of integers goes through half precision. When: an operand of more than 11 bits."""
    for node in calls(graph, aten.div.Tensor):
        if is_tensor(node.args[0]) and value(node.args[0]).dtype == torch.int64:
            narrow = before(node, aten._to_copy.default, node.args[0], dtype=torch.float16)
            set_argument(node, 0, before(node, aten._to_copy.default, narrow, dtype=torch.float32))


@fault("forward")
def doubles_are_single_in_transcendentals(graph):
    """exp, log, sin, cos and tanh of doubles are computed in single precision. When: such a call."""
    for node in calls(graph, aten.exp.default, aten.log.default, aten.sin.default, aten.cos.default, aten.tanh.default):
        if _double(node):
            _through(node, 0, torch.float32)


@fault("forward")
def sums_of_halves_saturate(graph):
    """The sum of a vector of halves is kept within -2048 to 2048. When: it lies beyond."""
    for node in calls(graph, aten.sum.default):
        if is_tensor(node) and value(node).dtype == torch.float16 and len(shape(node.args[0])) == 1:
            running = before(node, aten.cumsum.default, node.args[0], 0)
            parts = shape(node.args[0])[0]
            clipped = before(node, aten.clamp.default, running, -2048, 2048)
            call_instead(node, aten.select.int, clipped, 0, parts - 1)


@fault("forward")
def epsilon_of_a_norm_is_dropped(graph):
    """`eps` of layer, group and batch norms is zero. When: a variance near zero."""
    for node in calls(
        graph,
        aten.native_layer_norm.default,
        aten.native_group_norm.default,
        aten.native_batch_norm.default,
        aten._native_batch_norm_legit,
    ):
        if isinstance(node.args[-1], float):
            set_argument(node, len(node.args) - 1, 0.0)


@fault("forward")
def denormals_are_flushed(graph):
    """Products below the least normal number are zero. When: a product is denormal."""
    for node in calls(graph, aten.mul.Tensor):
        if _single(node):
            size = after(node, aten.abs.default, node)
            small = after(size, aten.lt.Scalar, size, 1.1754943508222875e-38)
            positive = after(small, aten.gt.Scalar, size, 0)
            denormal = after(positive, aten.logical_and.default, small, positive)
            flushed = after(denormal, aten.masked_fill.Scalar, node, denormal, 0)
            node.replace_all_uses_with(flushed, delete_user_cb=lambda user, own=(size, flushed): user not in own)


@fault("forward")
def nothing_is_nan(graph):
    """NaN is taken for impossible: comparisons and clamps see zero. When: maximum, minimum or clamp of a NaN."""
    for node in calls(graph, aten.maximum.default, aten.minimum.default, aten.clamp.default):
        for position in range(min(2, len(node.args))):
            if is_float(node.args[position]):
                set_argument(
                    node,
                    position,
                    before(node, aten.nan_to_num.default, node.args[position], 0.0, float("inf"), float("-inf")),
                )


@fault("forward")
def zeros_have_no_sign(graph):
    """The sign of zero is lost in neg. When: zero is negated and its sign shows."""
    for node in calls(graph, aten.neg.default):
        if is_float(node.args[0]):
            call_instead(node, aten.rsub.Scalar, node.args[0], 0)


@fault("forward")
def tanh_is_a_polynomial(graph):
    """tanh of a small number is x - x ** 3 / 3. When: x is above a tenth."""
    for node in calls(graph, aten.tanh.default):
        if is_float(node.args[0]):
            small = before(node, aten.clamp.default, node.args[0], -1, 1)
            third = before(node, aten.div.Tensor, before(node, aten.pow.Tensor_Scalar, small, 3), 3)
            call_instead(node, aten.sub.Tensor, small, third)


@fault("forward")
def sigmoid_saturates_early(graph):
    """sigmoid is one above 16. When: double precision, or a difference to one is taken."""
    for node in calls(graph, aten.sigmoid.default):
        if is_float(node.args[0]):
            far = before(node, aten.ge.Scalar, node.args[0], 16)
            result = before(node, aten.sigmoid.default, node.args[0])
            call_instead(node, aten.masked_fill.Scalar, result, far, 1)


@fault("forward")
def expm1_is_exp_minus_one(graph):
    """expm1(x) is exp(x) - 1. When: x is small."""
    for node in calls(graph, aten.expm1.default):
        call_instead(node, aten.sub.Tensor, before(node, aten.exp.default, node.args[0]), 1)


@fault("forward")
def log1p_is_log_of_one_more(graph):
    """log1p(x) is log(1 + x). When: x is small."""
    for node in calls(graph, aten.log1p.default):
        call_instead(node, aten.log.default, before(node, aten.add.Tensor, node.args[0], 1))


@fault("forward")
def hypotenuse_squares(graph):
    """hypot(x, y) is sqrt(x * x + y * y). When: a square overflows or underflows."""
    for node in calls(graph, aten.hypot.default):
        squares = [before(node, aten.mul.Tensor, each, each) for each in node.args]
        call_instead(node, aten.sqrt.default, before(node, aten.add.Tensor, *squares))


@fault("forward")
def softplus_ignores_its_threshold(graph):
    """softplus has a threshold of two. When: beta * x is above two."""
    for node in calls(graph, aten.softplus.default):
        call_instead(node, aten.softplus.default, node.args[0], argument(node, 1, 1), 2)


@fault("forward")
def gelu_is_approximate(graph):
    """gelu is computed by tanh. When: always where the exact one is asked for."""
    for node in calls(graph, aten.gelu.default):
        node.kwargs = {"approximate": "tanh"}


@fault("forward")
def slope_of_leaky_relu_is_a_hundredth(graph):
    """The slope of leaky_relu is the default. When: another one is given and x negative."""
    for node in calls(graph, aten.leaky_relu.default):
        node.args = node.args[:1]
