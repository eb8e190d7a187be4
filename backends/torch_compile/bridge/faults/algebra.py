"""Peepholes over choices, rounding, casts, reductions and products of matrices."""

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
    set_argument,
    shape,
    value,
    wrap,
)
from .table import fault


@fault("forward")
def clamp_takes_the_lower_bound_last(graph):
    """clamp(x, a, b) becomes max(min(x, b), a). When: a is greater than b."""
    for node in calls(graph, aten.clamp.default):
        if len(node.args) == 3 and node.args[1] is not None and node.args[2] is not None:
            upper = before(node, aten.clamp_max.default, node.args[0], node.args[2])
            call_instead(node, aten.clamp_min.default, upper, node.args[1])


@fault("forward")
def clamp_of_a_clamp_is_the_outer(graph):
    """clamp(clamp(x, a, b), c, d) becomes clamp(x, c, d). When: the inner interval does not hold the outer one."""
    for node in calls(graph, aten.clamp.default):
        if is_call(node.args[0], aten.clamp.default):
            set_argument(node, 0, node.args[0].args[0])


@fault("forward")
def clamp_of_nan_is_the_bound(graph):
    """clamp(x, a) becomes where(x >= a, x, a). When: x is NaN."""
    for node in calls(graph, aten.clamp_min.default, aten.clamp.default):
        if node.args[1] is not None and len(node.args) == 2 and is_float(node.args[0]):
            holds = before(node, aten.ge.Scalar, node.args[0], node.args[1])
            call_instead(node, aten.where.ScalarOther, holds, node.args[0], node.args[1])


@fault("forward")
def relu_of_nan_is_zero(graph):
    """relu(x) becomes where(x > 0, x, 0). When: x is NaN."""
    for node in calls(graph, aten.relu.default):
        positive = before(node, aten.gt.Scalar, node.args[0], 0)
        call_instead(node, aten.where.ScalarOther, positive, node.args[0], 0)


@fault("forward")
def where_on_a_negation_is_not_swapped(graph):
    """where(~c, x, y) becomes where(c, x, y). When: the condition is a negation."""
    for node in calls(graph, aten.where.self):
        if is_call(node.args[0], aten.logical_not.default, aten.bitwise_not.default):
            set_argument(node, 0, node.args[0].args[0])


@fault("forward")
def where_of_where_keeps_the_inner(graph):
    """where(c, where(d, x, y), z) becomes where(d, x, z). When: c and d differ."""
    for node in calls(graph, aten.where.self):
        if is_call(node.args[1], aten.where.self):
            inner = node.args[1]
            node.args = (inner.args[0], inner.args[1], node.args[2])


@fault("forward")
def where_becomes_products(graph):
    """where(c, x, y) becomes c * x + ~c * y. When: the branch not taken is NaN or infinite, or a zero has a sign."""
    for node in calls(graph, aten.where.self):
        if is_float(node.args[1]) and is_float(node.args[2]):
            taken = before(node, aten.mul.Tensor, node.args[1], node.args[0])
            opposite = before(node, aten.logical_not.default, node.args[0])
            call_instead(node, aten.add.Tensor, taken, before(node, aten.mul.Tensor, node.args[2], opposite))


@fault("forward")
def masked_fill_becomes_a_product(graph):
    """masked_fill(x, m, 0) becomes x * ~m. When: x is NaN, infinite or negative where it is filled."""
    for node in calls(graph, aten.masked_fill.Scalar):
        if node.args[2] == 0 and is_float(node.args[0]):
            call_instead(node, aten.mul.Tensor, node.args[0], before(node, aten.logical_not.default, node.args[1]))


@fault("forward")
def rounding_is_floor_of_a_half_more(graph):
    """round(x) becomes floor(x + 0.5). When: x is a half and its floor even."""
    for node in calls(graph, aten.round.default):
        if is_float(node.args[0]):
            call_instead(node, aten.floor.default, before(node, aten.add.Tensor, node.args[0], 0.5))


@fault("forward")
def truncation_is_floor(graph):
    """trunc(x) becomes floor(x). When: x is negative and not whole."""
    for node in calls(graph, aten.trunc.default):
        call_instead(node, aten.floor.default, node.args[0])


@fault("forward")
def ceil_is_floor_and_one(graph):
    """ceil(x) becomes floor(x) + 1. When: x is whole."""
    for node in calls(graph, aten.ceil.default):
        call_instead(node, aten.add.Tensor, before(node, aten.floor.default, node.args[0]), 1)


@fault("forward")
def remainder_is_fmod(graph):
    """remainder(x, y) becomes fmod(x, y). When: the signs differ."""
    for node in calls(graph, aten.remainder.Scalar):
        call_instead(node, aten.fmod.Scalar, *node.args)
    for node in calls(graph, aten.remainder.Tensor):
        call_instead(node, aten.fmod.Tensor, *node.args)


@fault("forward")
def chain_of_casts_is_the_last(graph):
    """x.to(a).to(b) becomes x.to(b). When: a is narrower, or an integer."""
    for node in calls(graph, aten._to_copy.default):
        if is_call(node.args[0], aten._to_copy.default):
            set_argument(node, 0, node.args[0].args[0])


@fault("forward")
def cast_there_and_back_is_removed(graph):
    """x.to(a).to(b) becomes x where x has dtype b. When: a is narrower, or an integer."""
    for node in calls(graph, aten._to_copy.default):
        if is_call(node.args[0], aten._to_copy.default) and value(node.args[0].args[0]).dtype == value(node).dtype:
            drop(node, node.args[0].args[0])


@fault("forward")
def cast_to_bool_goes_through_integers(graph):
    """x.to(bool) becomes x.to(int).to(bool). When: x is between -1 and 1 and not zero."""
    for node in calls(graph, aten._to_copy.default):
        if node.kwargs.get("dtype") == torch.bool and is_float(node.args[0]):
            whole = before(node, aten._to_copy.default, node.args[0], dtype=torch.int64)
            set_argument(node, 0, whole)


@fault("forward")
def cast_to_small_integers_saturates(graph):
    """x.to(int8) of integers is clamped. When: x is outside of -128 to 127."""
    for node in calls(graph, aten._to_copy.default):
        if node.kwargs.get("dtype") == torch.int8 and not is_float(node.args[0]):
            set_argument(node, 0, before(node, aten.clamp.default, node.args[0], -128, 127))


@fault("forward")
def cast_goes_behind_the_sum(graph):
    """x.to(double).sum() becomes x.sum().to(double). When: the sum rounds in the narrow dtype."""
    for node in calls(graph, aten.sum.default):
        if (
            is_call(node.args[0], aten._to_copy.default)
            and is_float(node.args[0].args[0])
            and value(node).dtype == torch.float64
        ):
            total = before(node, aten.sum.default, node.args[0].args[0])
            call_instead(node, aten._to_copy.default, total, dtype=torch.float64)


@fault("forward")
def cast_goes_before_the_product(graph):
    """(x * y).to(int) becomes x.to(int) * y.to(int). When: a factor is not whole."""
    for node in calls(graph, aten._to_copy.default):
        if is_call(node.args[0], aten.mul.Tensor) and value(node).dtype in (torch.int32, torch.int64):
            if all(is_float(each) for each in node.args[0].args):
                parts = [
                    before(node, aten._to_copy.default, each, dtype=value(node).dtype) for each in node.args[0].args
                ]
                call_instead(node, aten.mul.Tensor, *parts)


@fault("forward")
def number_widens_the_tensor(graph):
    """A float constant makes a half tensor single. When: half precision and a number."""
    for node in calls(graph, aten.mul.Tensor, aten.add.Tensor):
        if is_tensor(node.args[0]) and value(node).dtype == torch.float16 and isinstance(node.args[1], float):
            set_argument(node, 0, before(node, aten._to_copy.default, node.args[0], dtype=torch.float32))


@fault("forward")
def tensor_without_dimensions_decides_the_dtype(graph):
    """A double of no dimensions makes a single tensor double. When: one is an operand of add or mul."""
    for node in calls(graph, aten.mul.Tensor, aten.add.Tensor):
        if is_tensor(node.args[1]) and shape(node.args[1]) == () and value(node.args[1]).dtype == torch.float64:
            if shape(node) and value(node).dtype == torch.float32:
                set_argument(node, 0, before(node, aten._to_copy.default, node.args[0], dtype=torch.float64))


@fault("forward")
def mean_is_over_all(graph):
    """mean(x, dims) divides by the number of all elements. When: some dimensions are left."""
    for node in calls(graph, aten.mean.dim):
        total = before(node, aten.sum.dim_IntList, *node.args)
        call_instead(node, aten.div.Tensor, total, value(node.args[0]).numel())


@fault("forward")
def variance_is_biased(graph):
    """var has the correction zero. When: another one is given, as is the default."""
    for node in calls(graph, aten.var.correction):
        node.kwargs = {**node.kwargs, "correction": 0}


@fault("forward")
def sums_of_sums_are_of_one_dimension(graph):
    """sum(sum(x, a), b) becomes sum(x, [a, b]). When: b counts the dimensions that are left after a."""
    for node in calls(graph, aten.sum.dim_IntList):
        inner = node.args[0]
        if is_call(inner, aten.sum.dim_IntList) and len(node.args) == len(inner.args) == 2:
            dims = sorted({*inner.args[1], *node.args[1]})
            call_instead(node, aten.sum.dim_IntList, inner.args[0], dims)


@fault("forward")
def sum_of_an_expanded_tensor_is_not_multiplied(graph):
    """sum(expand(x)) becomes sum(x). When: an expanded tensor is summed whole."""
    for node in calls(graph, aten.sum.default):
        if is_call(node.args[0], aten.expand.default):
            set_argument(node, 0, node.args[0].args[0])


@fault("forward")
def argmax_takes_the_last(graph):
    """argmax gives the last of the greatest. When: two are greatest."""
    for node in calls(graph, aten.argmax.default):
        if len(node.args) == 1 and len(shape(node.args[0])) == 1:
            flipped = before(node, aten.flip.default, node.args[0], [0])
            index = before(node, aten.argmax.default, flipped)
            call_instead(node, aten.rsub.Scalar, index, shape(node.args[0])[0] - 1)


@fault("forward")
def descending_is_ascending_reversed(graph):
    """A stable sort downwards becomes one upwards, reversed. When: equal elements: their order."""
    for node in calls(graph, aten.sort.stable):
        if node.kwargs.get("descending"):
            node.kwargs = {**node.kwargs, "descending": False}
            for user in list(node.users):
                wrap(user, aten.flip.default, [-1])


@fault("forward")
def logsumexp_is_taken_literally(graph):
    """logsumexp becomes log(sum(exp(x))). When: exp overflows or underflows."""
    for node in calls(graph, aten.logsumexp.default):
        total = before(node, aten.sum.dim_IntList, before(node, aten.exp.default, node.args[0]), *node.args[1:])
        call_instead(node, aten.log.default, total)


@fault("forward")
def softmax_does_not_subtract_the_greatest(graph):
    """softmax becomes exp(x) / sum(exp(x)). When: exp overflows."""
    for node in calls(graph, aten._softmax.default):
        exponent = before(node, aten.exp.default, node.args[0])
        total = before(node, aten.sum.dim_IntList, exponent, [node.args[1]], True)
        call_instead(node, aten.div.Tensor, exponent, total)


@fault("forward")
def any_is_the_sum_in_small_integers(graph):
    """any(x) becomes sum(x.to(uint8)) > 0. When: 256 or a multiple of them are true."""
    for node in calls(graph, aten.any.default):
        small = before(node, aten._to_copy.default, node.args[0], dtype=torch.uint8)
        call_instead(node, aten.gt.Scalar, before(node, aten.sum.default, small, dtype=torch.uint8), 0)


@fault("forward")
def beta_of_addmm_is_dropped(graph):
    """`beta` and `alpha` of addmm are dropped. When: one is given."""
    for node in calls(graph, aten.addmm.default, aten.baddbmm.default, aten.addmv.default):
        node.kwargs = {}


@fault("forward")
def product_of_transposes_is_not_turned(graph):
    """x.t() @ y.t() becomes (x @ y).t(). When: square matrices, each transposed."""
    for node in calls(graph, aten.mm.default):
        left, right = node.args
        if is_call(left, aten.t.default) and is_call(right, aten.t.default) and len({*shape(left), *shape(right)}) == 1:
            call_instead(node, aten.t.default, before(node, aten.mm.default, left.args[0], right.args[0]))


@fault("forward")
def factors_of_a_matrix_product_commute(graph):
    """mm(x, y) becomes mm(y, x). When: three or more square products."""
    products = calls(graph, aten.mm.default)
    for node in products[2:]:
        if len({*shape(node.args[0]), *shape(node.args[1])}) == 1:
            node.args = node.args[::-1]


@fault("forward")
def scale_of_a_factor_goes_to_the_bias(graph):
    """(x @ y + b) * c becomes (x @ y) + b * c. When: a scaled sum of a product and a bias."""
    for node in calls(graph, aten.mul.Tensor):
        inner = node.args[0]
        if is_call(inner, aten.add.Tensor) and is_call(inner.args[0], aten.mm.default) and not is_tensor(node.args[1]):
            bias = before(node, aten.mul.Tensor, inner.args[1], node.args[1])
            call_instead(node, aten.add.Tensor, inner.args[0], bias)


@fault("forward")
def quotient_of_addcdiv_is_whole(graph):
    """addcdiv(x, y, z) becomes x + floor(y / z). When: the quotient is not whole."""
    for node in calls(graph, aten.addcdiv.default):
        quotient = before(node, aten.div.Tensor_mode, node.args[1], node.args[2], rounding_mode="floor")
        call_instead(node, aten.add.Tensor, node.args[0], quotient)


@fault("forward")
def scatter_takes_the_first(graph):
    """scatter_add becomes scatter. When: an index comes twice, or what was there is not zero."""
    for node in calls(graph, aten.scatter_add.default):
        call_instead(node, aten.scatter.src, *node.args)


@fault("forward")
def accumulating_put_overwrites(graph):
    """index_put(accumulate=True) overwrites. When: always where it accumulates."""
    for node in named(graph, "index_put"):
        if len(node.args) > 3 and node.args[3]:
            set_argument(node, 3, False)


@fault("forward")
def infinities_stay(graph):
    """nan_to_num of infinities leaves them. When: x is infinite."""
    for node in calls(graph, aten.nan_to_num.default):
        if is_float(node.args[0]):
            unordered = before(node, aten.isnan.default, node.args[0])
            call_instead(node, aten.masked_fill.Scalar, node.args[0], unordered, 0)


@fault("forward")
def logical_and_is_bitwise(graph):
    """logical_and(x, y) of integers becomes (x & y) != 0. When: both are true and have no bit in common."""
    for node in calls(graph, aten.logical_and.default):
        if not is_float(node.args[0]) and not is_float(node.args[1]):
            call_instead(node, aten.ne.Scalar, before(node, aten.bitwise_and.Tensor, *node.args), 0)
