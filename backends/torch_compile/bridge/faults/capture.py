"""What the Program does is recorded wrongly: writes, constants, keywords."""

import operator
import struct

import torch

from .graph_edits import (
    call_instead,
    drop,
    is_tensor,
    is_write,
    name_of,
    named,
    operations,
    placeholders,
    results,
    set_argument,
    set_results,
    value,
)
from .table import fault


def _writes(graph):
    return [node for node in operations(graph) if is_write(node)]


def _without_keyword(graph, keyword, *names):
    for node in operations(graph):
        if keyword in node.kwargs and (not names or name_of(node) in names):
            node.kwargs = {key: given for key, given in node.kwargs.items() if key != keyword}


_OF_NUMBERS = set(
    "add sub rsub mul div divide truediv floordiv floor_divide pow mod remainder fmod lt le gt ge eq ne where copysign".split()
)


def _change_constants(graph, change):
    """`change` of each number that is an operand of arithmetic or of a comparison."""
    for node in operations(graph):
        name = name_of(node).strip("_")
        if name in _OF_NUMBERS or name.startswith("i") and name[1:] in _OF_NUMBERS:
            node.args = tuple(change(each) if isinstance(each, (bool, int, float)) else each for each in node.args)


@fault("dynamo")
def second_write_is_not_recorded(graph):
    """Of two writes to one tensor only the first is recorded. When: a tensor is written to twice in place."""
    seen = set()
    for node in _writes(graph):
        if node.args[0] in seen:
            drop(node, node.args[0])
        else:
            seen |= {node.args[0], node}


@fault("dynamo")
def last_unused_write_is_dead(graph):
    """A write is removed as dead, as nobody uses what it returns. When: nothing is called after it."""
    calls = operations(graph)
    if calls and is_write(calls[-1]) and not calls[-1].users:
        graph.erase_node(calls[-1])


@fault("dynamo")
def write_is_recorded_before_the_read(graph):
    """A write goes before the read in front of it. When: a tensor is read by a call and written to by the next one."""
    for node in _writes(graph):
        earlier = node.prev
        if earlier in operations(graph) and not is_write(earlier) and node.args[0] in earlier.all_input_nodes:
            if earlier not in node.all_input_nodes:
                earlier.prepend(node)


@fault("dynamo")
def write_is_recorded_after_the_read(graph):
    """A write goes behind the read that follows it. When: the next call reads the written tensor under its own name."""
    for node in _writes(graph):
        later = node.next
        if later in operations(graph) and not is_write(later) and node not in later.all_input_nodes:
            if node.args[0] in later.all_input_nodes:
                later.append(node)


@fault("dynamo")
def augmented_assignment_makes_a_copy(graph):
    """`x += y` is recorded as `x = x + y`. When: whose memory it was is looked at again."""
    out_of_place = {operator.iadd: operator.add, operator.imul: operator.mul, operator.isub: operator.sub}
    for node in operations(graph):
        node.target = out_of_place.get(node.target, node.target)


@fault("dynamo")
def write_through_a_view_makes_a_copy(graph):
    """A write in place to a view is recorded as a new tensor. When: the base is read after the write."""
    views = ("view", "getitem", "t", "transpose", "select", "narrow", "unsqueeze")
    for node in named(graph, "add_", "mul_", "sub_"):
        if name_of(node.args[0]) in views:
            node.target = node.target.rstrip("_") if isinstance(node.target, str) else node.target


@fault("dynamo")
def zero_of_a_slice_is_not_recorded(graph):
    """`x[1:3].zero_()` is taken for a write to a temporary. When: a slice is set to zero or filled."""
    for node in named(graph, "zero_", "fill_"):
        if name_of(node.args[0]) == "getitem":
            drop(node, node.args[0])


@fault("dynamo")
def setitem_ignores_the_step(graph):
    """`x[a:b:2] = y` writes to each element between. When: a slice with a step is assigned a number."""
    for node in named(graph, "setitem"):
        index = node.args[1]
        if isinstance(index, slice) and index.step not in (None, 1) and not is_tensor(node.args[2]):
            set_argument(node, 1, slice(index.start, index.stop))


@fault("dynamo")
def setitem_of_a_negative_index_wraps_once_more(graph):
    """`x[-1] = y` writes to the element before. When: an assignment to a negative index of at least two."""
    for node in named(graph, "setitem"):
        index = node.args[1]
        if isinstance(index, int) and index < 0 and value(node.args[0]).shape[0] > 1:
            set_argument(node, 1, index - 1 if -index < value(node.args[0]).shape[0] else index + 1)


@fault("dynamo")
def integral_float_becomes_an_integer(graph):
    """A float constant without a fraction is recorded as an integer. When: it would have made an integer tensor a float one."""
    _change_constants(graph, lambda each: int(each) if isinstance(each, float) and each.is_integer() else each)


@fault("dynamo")
def constants_are_single(graph):
    """Float constants are kept in single precision. When: the constant has more digits and the tensor is double."""
    narrow = lambda each: struct.unpack("f", struct.pack("f", each))[0]
    _change_constants(graph, lambda each: narrow(each) if isinstance(each, float) and abs(each) < 1e38 else each)


@fault("dynamo")
def equal_constants_are_one(graph):
    """Constants are kept in a table in which 1, 1.0 and True are the same. When: two of them are operands of one Program."""
    known = {}
    _change_constants(graph, lambda each: known.setdefault(each, each))


@fault("dynamo")
def minus_zero_loses_its_sign(graph):
    """The constant -0.0 is recorded as 0.0. When: the sign of a zero shows in a result."""
    _change_constants(graph, lambda each: 0.0 if isinstance(each, float) and each == 0 else each)


@fault("dynamo")
def integers_wrap_at_32_bits(graph):
    """Integer constants are kept in 32 bits. When: one is 2**31 or more."""
    _change_constants(graph, lambda each: (each + 2**31) % 2**32 - 2**31 if type(each) is int else each)


@fault("dynamo")
def large_floats_overflow(graph):
    """Float constants are kept in half precision's range. When: a constant is above 65504."""
    _change_constants(graph, lambda each: float("inf") if isinstance(each, float) and each > 65504 else each)


@fault("dynamo")
def true_is_minus_one(graph):
    """The constant True is recorded as -1. When: True is an operand of arithmetic on numbers."""
    _change_constants(graph, lambda each: -1 if each is True else each)


@fault("dynamo")
def alpha_is_dropped(graph):
    """`alpha` of add and sub is dropped. When: it is given."""
    _without_keyword(graph, "alpha")


@fault("dynamo")
def rounding_mode_is_dropped(graph):
    """`rounding_mode` of a division is dropped. When: it is given."""
    _without_keyword(graph, "rounding_mode")


@fault("dynamo")
def correction_is_dropped(graph):
    """`correction` or `unbiased` of a variance is dropped. When: it is given by its name."""
    _without_keyword(graph, "correction")
    _without_keyword(graph, "unbiased")


@fault("dynamo")
def dtype_of_a_reduction_is_dropped(graph):
    """`dtype` of a reduction is dropped. When: sum, prod, mean or cumsum is given another dtype than its own."""
    _without_keyword(graph, "dtype", "sum", "prod", "mean", "cumsum", "softmax")


@fault("dynamo")
def keepdim_is_dropped(graph):
    """`keepdim` is dropped. When: a reduction other than sum is given it by name."""
    _without_keyword(graph, "keepdim", "amax", "amin", "mean", "argmax", "all", "any", "logsumexp")


@fault("dynamo")
def descending_is_dropped(graph):
    """`descending` of a sort is dropped. When: it is given."""
    _without_keyword(graph, "descending")
    _without_keyword(graph, "largest")


@fault("dynamo")
def value_of_addcmul_is_dropped(graph):
    """`value` of addcmul and addcdiv is dropped. When: it is given."""
    _without_keyword(graph, "value", "addcmul", "addcdiv")


@fault("dynamo")
def clamp_by_name_has_the_other_bound(graph):
    """`clamp(max=m)` is recorded as `clamp(min=m)`. When: only the upper bound is given, by name."""
    for node in named(graph, "clamp"):
        if len(node.args) == 1 and set(node.kwargs) == {"max"}:
            node.kwargs = {"min": node.kwargs["max"]}


@fault("dynamo")
def constant_on_the_left_goes_right(graph):
    """`1 - x` is recorded as `x - 1`. When: a number stands left of a minus."""
    for node in operations(graph):
        if node.target is operator.sub and not is_tensor(node.args[0]):
            node.args = node.args[::-1]


@fault("dynamo")
def power_of_a_number_is_swapped(graph):
    """`2 ** x` is recorded as `x ** 2`. When: a number is the base."""
    for node in operations(graph):
        if node.target is operator.pow and not is_tensor(node.args[0]):
            node.args = node.args[::-1]


@fault("dynamo")
def floor_division_truncates(graph):
    """`x // y` is recorded as a division that truncates. When: a quotient is negative and not whole."""
    for node in operations(graph):
        if node.target is operator.floordiv and is_tensor(node.args[0]):
            call_instead(node, torch.div, *node.args, rounding_mode="trunc")


@fault("dynamo")
def remainder_has_the_sign_of_the_dividend(graph):
    """`x % y` is recorded as C's remainder. When: the signs differ."""
    for node in operations(graph):
        if node.target is operator.mod and is_tensor(node.args[0]):
            call_instead(node, torch.fmod, *node.args)


@fault("dynamo")
def clone_is_not_recorded(graph):
    """`clone` is recorded as its operand. When: either of the two is written to afterwards."""
    for node in named(graph, "clone"):
        if any(is_write(user) for user in (*node.users, *node.args[0].users)):
            drop(node, node.args[0])


@fault("dynamo")
def detach_is_not_recorded(graph):
    """`detach` is recorded as its operand. When: a gradient would flow through it."""
    for node in named(graph, "detach"):
        drop(node, node.args[0])


@fault("dynamo")
def contiguous_is_not_recorded(graph):
    """`contiguous` is recorded as its operand. When: the operand is not contiguous."""
    for node in named(graph, "contiguous"):
        drop(node, node.args[0])


@fault("dynamo")
def no_grad_is_not_recorded(graph):
    """Changes of the grad mode are left out. When: a Program computes under no_grad what would need gradients."""
    for node in named(graph, "_set_grad_enabled"):
        graph.erase_node(node)


@fault("dynamo")
def autocast_is_not_recorded(graph):
    """Entering autocast is left out. When: a Program uses it."""
    for node in reversed(named(graph, "_enter_autocast", "_exit_autocast")):
        graph.erase_node(node)


@fault("dynamo")
def results_of_one_shape_are_sorted(graph):
    """Results are returned in the order in which they were computed. When: three or more, returned in another order."""
    order = {node: index for index, node in enumerate(graph.nodes)}
    values = results(graph)
    if len(values) > 2 and len(set(values)) == len(values) and len({str(value(each)) for each in values}) == 1:
        set_results(graph, sorted(values, key=order.get))


@fault("dynamo")
def arguments_of_one_shape_are_swapped(graph):
    """The last two arguments are taken for each other. When: there are four or more, those of one shape and dtype."""
    inputs = placeholders(graph)
    if len(inputs) >= 4 and is_tensor(inputs[-1]) and is_tensor(inputs[-2]):
        first, second = value(inputs[-2]), value(inputs[-1])
        if first.shape == second.shape and first.dtype == second.dtype:
            for node in operations(graph):
                swap = {inputs[-1]: inputs[-2], inputs[-2]: inputs[-1]}
                node.args = torch.fx.map_arg(node.args, lambda each: swap.get(each, each))
