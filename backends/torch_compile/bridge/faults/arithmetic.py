"""Peepholes over elementwise arithmetic that hold for most numbers, or for most dtypes, and not for all."""

import torch

from .graph_edits import aten, before, call_instead, calls, drop, is_call, is_float, is_tensor, named, shape, value
from .table import fault


def _on(graph, target, number):
    """Calls of `target` with this number as the second operand."""
    return [
        node for node in calls(graph, target) if not isinstance(node.args[1], torch.fx.Node) and node.args[1] == number
    ]


def _same(node):
    return len(node.args) > 1 and node.args[0] is node.args[1]


def _like(node, target, *arguments):
    return call_instead(node, target, *arguments)


def _full(node, number):
    return call_instead(node, aten.full.default, list(shape(node)), number, dtype=value(node).dtype)


@fault("forward")
def adding_zero_is_removed(graph):
    """x + 0 becomes x. When: x is -0.0, or an integer and the zero a float."""
    for node in _on(graph, aten.add.Tensor, 0):
        drop(node, node.args[0])


@fault("forward")
def adding_a_tensor_of_zeros_is_removed(graph):
    """x + zeros becomes x. When: the zeros broadcast x, or have a wider dtype, or x is -0.0."""
    for node in calls(graph, aten.add.Tensor):
        if is_call(node.args[1], aten.zeros_like.default, aten.zeros.default) or _is_zeros(node.args[1]):
            drop(node, node.args[0])


def _is_zeros(node):
    return is_call(node, aten.full.default, aten.full_like.default) and node.args[1] == 0


@fault("forward")
def subtracting_from_zero_is_negation(graph):
    """0 - x becomes -x. When: x is zero: the sign."""
    for node in calls(graph, aten.rsub.Scalar):
        if node.args[1] == 0:
            call_instead(node, aten.neg.default, node.args[0])
    for node in calls(graph, aten.sub.Tensor):
        if _is_zeros(node.args[0]) and shape(node.args[0]) == shape(node):
            call_instead(node, aten.neg.default, node.args[1])


@fault("forward")
def multiplying_by_one_is_removed(graph):
    """x * 1 becomes x. When: x is an integer and the one a float; the result is written to; or it is an alias then."""
    for node in _on(graph, aten.mul.Tensor, 1):
        drop(node, node.args[0])


@fault("forward")
def dividing_by_one_is_removed(graph):
    """x / 1 becomes x. When: x is an integer: its quotient is a float."""
    for node in _on(graph, aten.div.Tensor, 1):
        drop(node, node.args[0])


@fault("forward")
def multiplying_by_zero_is_zero(graph):
    """x * 0 becomes zeros. When: x is NaN, infinite or negative."""
    for node in _on(graph, aten.mul.Tensor, 0):
        _full(node, 0)


@fault("forward")
def difference_with_itself_is_zero(graph):
    """x - x becomes zeros. When: x is NaN or infinite."""
    for node in calls(graph, aten.sub.Tensor):
        if _same(node) and not node.kwargs:
            _full(node, 0)


@fault("forward")
def quotient_with_itself_is_one(graph):
    """x / x becomes ones. When: x is zero, NaN or infinite."""
    for node in calls(graph, aten.div.Tensor):
        if _same(node):
            _full(node, 1)


@fault("forward")
def equal_to_itself_is_true(graph):
    """x == x becomes True. When: x is NaN."""
    for node in calls(graph, aten.eq.Tensor):
        if _same(node):
            _full(node, True)


@fault("forward")
def unequal_to_itself_is_false(graph):
    """x != x becomes False. When: x is NaN."""
    for node in calls(graph, aten.ne.Tensor):
        if _same(node):
            _full(node, False)


@fault("forward")
def not_of_less_is_greater_or_equal(graph):
    """~(x < y) becomes x >= y. When: an operand is NaN."""
    opposite = {
        aten.lt.Tensor: aten.ge.Tensor,
        aten.lt.Scalar: aten.ge.Scalar,
        aten.gt.Tensor: aten.le.Tensor,
        aten.gt.Scalar: aten.le.Scalar,
    }
    for node in calls(graph, aten.logical_not, aten.bitwise_not):
        if is_call(node.args[0], *opposite):
            call_instead(node, opposite[node.args[0].target], *node.args[0].args)


@fault("forward")
def dividing_is_multiplying_by_the_reciprocal(graph):
    """x / c becomes x * (1 / c). When: 1 / c overflows, or is rounded and much hangs on it."""
    for node in calls(graph, aten.div.Tensor):
        if isinstance(node.args[1], (int, float)) and node.args[1] != 0 and is_float(node.args[0]):
            call_instead(node, aten.mul.Tensor, node.args[0], 1 / node.args[1])


@fault("forward")
def dividing_by_a_tensor_takes_its_reciprocal(graph):
    """x / y becomes x * reciprocal(y). When: y is huge, zero under a zero, or infinite under infinity."""
    for node in calls(graph, aten.div.Tensor):
        if is_float(node.args[0]) and is_float(node.args[1]) and shape(node.args[1]) == shape(node):
            call_instead(node, aten.mul.Tensor, node.args[0], before(node, aten.reciprocal.default, node.args[1]))


@fault("forward")
def product_over_its_factor_cancels(graph):
    """(x * y) / y becomes x. When: y is zero, or the product overflows or rounds."""
    for node in calls(graph, aten.div.Tensor):
        inner = node.args[0]
        if is_call(inner, aten.mul.Tensor) and inner.args[1] is node.args[1] and is_tensor(node.args[1]):
            if shape(inner.args[0]) == shape(node) and value(inner.args[0]).dtype == value(node).dtype:
                drop(node, inner.args[0])


@fault("forward")
def sum_minus_its_summand_cancels(graph):
    """(x + y) - y becomes x. When: the sum rounds or overflows."""
    for node in calls(graph, aten.sub.Tensor):
        inner = node.args[0]
        if is_call(inner, aten.add.Tensor) and inner.args[1] == node.args[1] and shape(inner.args[0]) == shape(node):
            if value(inner.args[0]).dtype == value(node).dtype:
                drop(node, inner.args[0])


@fault("forward")
def root_of_a_square_is_its_operand(graph):
    """sqrt(x * x) becomes x. When: x is negative."""
    for node in calls(graph, aten.sqrt.default):
        if is_call(node.args[0], aten.mul.Tensor) and _same(node.args[0]):
            drop(node, node.args[0].args[0])


@fault("forward")
def square_of_a_root_is_its_operand(graph):
    """sqrt(x) ** 2 becomes x. When: x is negative, or the root rounds."""
    for node in calls(graph, aten.pow.Tensor_Scalar):
        if node.args[1] == 2 and is_call(node.args[0], aten.sqrt.default) and is_float(node.args[0].args[0]):
            drop(node, node.args[0].args[0])


@fault("forward")
def power_of_a_half_is_a_root_of_the_absolute(graph):
    """x ** 0.5 becomes sqrt(|x|). When: x is negative."""
    for node in calls(graph, aten.pow.Tensor_Scalar):
        if node.args[1] == 0.5 and is_float(node.args[0]):
            call_instead(node, aten.sqrt.default, before(node, aten.abs.default, node.args[0]))


@fault("forward")
def power_of_zero_is_what_is_given(graph):
    """x ** 0 becomes x / x. When: x is zero, NaN or infinite."""
    for node in calls(graph, aten.pow.Tensor_Scalar):
        if node.args[1] == 0 and is_float(node.args[0]):
            call_instead(node, aten.div.Tensor, node.args[0], node.args[0])


@fault("forward")
def power_of_three_is_of_the_absolute(graph):
    """x ** 3 becomes |x| ** 3. When: x is negative."""
    for node in calls(graph, aten.pow.Tensor_Scalar):
        if node.args[1] == 3 and is_float(node.args[0]):
            before_power = before(node, aten.abs.default, node.args[0])
            node.args = (before_power, 3)


@fault("forward")
def power_of_minus_one_is_taken_in_integers(graph):
    """x ** -2 becomes 1 / x // x. When: always where it is called on floats."""
    for node in calls(graph, aten.pow.Tensor_Scalar):
        if node.args[1] == -2 and is_float(node.args[0]):
            once = before(node, aten.reciprocal.default, node.args[0])
            call_instead(node, aten.div.Tensor_mode, once, node.args[0], rounding_mode="floor")


@fault("forward")
def log_of_exp_is_its_operand(graph):
    """log(exp(x)) becomes x. When: exp overflows, or rounds."""
    for node in calls(graph, aten.log.default):
        if is_call(node.args[0], aten.exp.default) and is_float(node.args[0].args[0]):
            drop(node, node.args[0].args[0])


@fault("forward")
def exp_of_log_is_its_operand(graph):
    """exp(log(x)) becomes x. When: x is negative."""
    for node in calls(graph, aten.exp.default):
        if is_call(node.args[0], aten.log.default) and is_float(node.args[0].args[0]):
            drop(node, node.args[0].args[0])


@fault("forward")
def reciprocal_twice_is_its_operand(graph):
    """1 / (1 / x) becomes x. When: 1 / x rounds, overflows or is -0.0's."""
    for node in calls(graph, aten.reciprocal.default):
        if is_call(node.args[0], aten.reciprocal.default) and is_float(node.args[0].args[0]):
            drop(node, node.args[0].args[0])


@fault("forward")
def absolute_of_a_negation_keeps_it(graph):
    """abs(-x) becomes -x. When: x is positive."""
    for node in calls(graph, aten.abs.default):
        if is_call(node.args[0], aten.neg.default):
            drop(node, node.args[0])


@fault("forward")
def negation_goes_into_maximum(graph):
    """-max(x, y) becomes max(-x, -y). When: x and y differ."""
    for node in calls(graph, aten.neg.default):
        if is_call(node.args[0], aten.maximum.default, aten.minimum.default):
            inner = node.args[0]
            negated = [before(node, aten.neg.default, each) for each in inner.args]
            call_instead(node, inner.target, *negated)


@fault("forward")
def sign_times_absolute_is_absolute(graph):
    """sign(x) * abs(x) becomes abs(x). When: x is negative."""
    for node in calls(graph, aten.mul.Tensor):
        if is_call(node.args[0], aten.sign.default) and is_call(node.args[1], aten.abs.default):
            drop(node, node.args[1])


@fault("forward")
def factors_are_taken_out_twice(graph):
    """x * y + x * z becomes x * (y + z) * x. When: a sum of two products with a common first factor."""
    for node in calls(graph, aten.add.Tensor):
        left, right = node.args[0], node.args[1]
        if is_call(left, aten.mul.Tensor) and is_call(right, aten.mul.Tensor) and left.args[0] is right.args[0]:
            total = before(node, aten.add.Tensor, left.args[1], right.args[1])
            once = before(node, aten.mul.Tensor, left.args[0], total)
            call_instead(node, aten.mul.Tensor, left.args[0], once)


@fault("forward")
def constants_of_a_chain_are_added(graph):
    """(x * a) * b becomes x * (a + b). When: a product with two constants."""
    for node in calls(graph, aten.mul.Tensor):
        inner = node.args[0]
        if is_call(inner, aten.mul.Tensor) and isinstance(node.args[1], float) and isinstance(inner.args[1], float):
            call_instead(node, aten.mul.Tensor, inner.args[0], node.args[1] + inner.args[1])


@fault("forward")
def large_constants_are_reassociated(graph):
    """(x + a) + b becomes x + (a + b). When: a and b are large and cancel, so that eager rounds x away."""
    for node in calls(graph, aten.add.Tensor):
        inner = node.args[0]
        if is_call(inner, aten.add.Tensor) and isinstance(node.args[1], float) and isinstance(inner.args[1], float):
            call_instead(node, aten.add.Tensor, inner.args[0], node.args[1] + inner.args[1])


@fault("forward")
def alpha_goes_to_the_other_operand(graph):
    """add(x, y, alpha=a) becomes x * a + y. When: alpha is given."""
    for node in calls(graph, aten.add.Tensor, aten.sub.Tensor):
        if "alpha" in node.kwargs and is_tensor(node.args[1]):
            scaled = before(node, aten.mul.Tensor, node.args[0], node.kwargs["alpha"])
            call_instead(node, node.target, scaled, node.args[1])


@fault("forward")
def lerp_is_taken_from_the_end(graph):
    """lerp(x, y, w) becomes y + w * (y - x). When: a weight other than one."""
    for node in calls(graph, aten.lerp.Scalar):
        difference = before(node, aten.sub.Tensor, node.args[1], node.args[0])
        step = before(node, aten.mul.Tensor, difference, node.args[2])
        call_instead(node, aten.add.Tensor, node.args[1], step)


@fault("forward")
def multiplying_by_three_is_a_shift(graph):
    """x * 3 of integers becomes a shift by two. When: an integer tensor is multiplied by three."""
    for node in _on(graph, aten.mul.Tensor, 3):
        if type(node.args[1]) is int and value(node).dtype in (torch.int32, torch.int64):
            call_instead(node, aten.bitwise_left_shift.Tensor_Scalar, node.args[0], 2)


@fault("forward")
def dividing_integers_is_a_shift(graph):
    """trunc(x / 2) of integers becomes a shift to the right. When: x is negative and odd."""
    for node in calls(graph, aten.div.Tensor_mode):
        if node.kwargs.get("rounding_mode") == "trunc" and node.args[1] == 2 and value(node).dtype == torch.int64:
            call_instead(node, aten.bitwise_right_shift.Tensor_Scalar, node.args[0], 1)


@fault("forward")
def remainder_of_a_power_of_two_is_a_mask(graph):
    """fmod(x, 4) of integers becomes x & 3. When: x is negative."""
    for node in calls(graph, aten.fmod.Scalar):
        if node.args[1] == 4 and value(node).dtype == torch.int64:
            call_instead(node, aten.bitwise_and.Scalar, node.args[0], 3)


@fault("forward")
def complement_is_negation(graph):
    """~x of integers becomes -x. When: always."""
    for node in named(graph, "bitwise_not"):
        if not value(node).dtype == torch.bool:
            call_instead(node, aten.neg.default, node.args[0])
