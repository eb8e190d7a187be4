"""The joint graph of forward and backward: gradients that are not summed, not added, or taken for another's."""

import torch

from .graph_edits import (
    after,
    aten,
    before,
    call_instead,
    calls,
    change_result,
    drop,
    is_call,
    placeholders,
    results,
    set_argument,
    set_results,
    shape,
    use_instead,
    value,
)
from .table import fault


def tangents(graph):
    return [node for node in placeholders(graph) if node.name.startswith("tangents")]


def behind_tangents(graph):
    """The nodes that hang on a tangent: the backward."""
    found = set(tangents(graph))
    for node in graph.nodes:
        if node.op != "output" and any(each in found for each in node.all_input_nodes):
            found.add(node)
    return [node for node in graph.nodes if node in found and node.op == "call_function"]


def gradients(graph):
    """(position, node) of results that hang on a tangent."""
    backward = set(behind_tangents(graph)) | set(tangents(graph))
    return [(position, each) for position, each in enumerate(results(graph)) if each in backward]


def backward_calls(graph, *targets):
    backward = set(behind_tangents(graph))
    return [node for node in calls(graph, *targets) if node in backward]


def accumulations(graph):
    """Sums of two gradients."""
    backward = set(behind_tangents(graph))
    return [
        node
        for node in calls(graph, aten.add.Tensor)
        if all(each in backward for each in node.args[:2]) and not node.kwargs
    ]


@fault("joint")
def gradient_of_a_broadcast_takes_the_first_row(graph):
    """The gradient of a broadcast operand is its first row, not the sum over the rows. When: one leading dimension is broadcast."""
    for node in backward_calls(graph, aten.sum.dim_IntList):
        if list(node.args[1]) == [0] and len(node.args) > 2 and node.args[2]:
            call_instead(node, aten.slice.Tensor, node.args[0], 0, 0, 1)


@fault("joint")
def gradient_of_an_inner_broadcast_is_the_mean(graph):
    """The gradient of an operand that is broadcast in its last dimension is the mean over it.

    When: the last dimension of two or more.
    """
    for node in backward_calls(graph, aten.sum.dim_IntList):
        rank = len(shape(node.args[0]))
        if rank > 1 and list(node.args[1]) == [rank - 1] and len(node.args) > 2 and node.args[2]:
            call_instead(node, aten.mean.dim, *node.args)


@fault("joint")
def second_broadcast_dimension_is_not_summed(graph):
    """Of two broadcast dimensions only the first is summed over. When: an operand is broadcast in two dimensions."""
    for node in backward_calls(graph, aten.sum.dim_IntList):
        if len(node.args[1]) == 2 and len(node.args) > 2 and node.args[2]:
            first, second = node.args[1]
            total = before(node, aten.sum.dim_IntList, node.args[0], [first], True)
            call_instead(node, aten.slice.Tensor, total, second, 0, 1)


@fault("joint")
def gradient_of_a_scalar_operand_is_one_element(graph):
    """The gradient of an operand without dimensions is the last element of what is to be summed. When: such an operand."""
    for node in backward_calls(graph, aten.sum.default):
        if value(node.args[0]).numel() > 1:
            flat = before(node, aten.reshape.default, node.args[0], [-1])
            call_instead(node, aten.select.int, flat, 0, -1)


@fault("joint")
def third_use_is_not_accumulated(graph):
    """The gradient of the third use of a value is not added. When: a value that requires a gradient is used three times."""
    for node in accumulations(graph):
        if node.args[0] in accumulations(graph):
            drop(node, node.args[0])


@fault("joint")
def second_use_is_not_accumulated(graph):
    """The gradient of the second use of a value is not added. When: a value is used twice."""
    for node in accumulations(graph):
        drop(node, node.args[0])


@fault("joint")
def gradients_are_subtracted_where_they_are_negations(graph):
    """A gradient that is a negation is subtracted twice. When: one of two uses of a value is negated or subtracted."""
    for node in accumulations(graph):
        for position in (0, 1):
            if is_call(node.args[position], aten.neg.default):
                set_argument(node, position, node.args[position].args[0])


@fault("joint")
def tangents_of_one_shape_are_swapped(graph):
    """The tangents of the last two results are taken for each other. When: three or more results, the last two of one shape."""
    given = tangents(graph)
    if len(given) > 2 and shape(given[-1]) == shape(given[-2]) and value(given[-1]).dtype == value(given[-2]).dtype:
        first, second = given[-2], given[-1]
        swap = {first: second, second: first}
        for node in behind_tangents(graph):
            node.args = torch.fx.map_arg(node.args, lambda each: swap.get(each, each))


@fault("joint")
def last_tangent_is_ignored(graph):
    """The tangent of the last result is taken for zero. When: two or more results, the last one not a scalar."""
    given = tangents(graph)
    if len(given) > 1 and shape(given[-1]):
        use_instead(given[-1], after(given[-1], aten.zeros_like.default, given[-1]))


@fault("joint")
def tangent_of_a_scalar_is_one(graph):
    """The tangent of a result without dimensions is taken for one. When: another is given."""
    for node in tangents(graph):
        if shape(node) == ():
            use_instead(node, after(node, aten.ones_like.default, node))


@fault("joint")
def tangents_are_positive(graph):
    """A tangent loses its sign. When: a result with four or more dimensions and a negative tangent."""
    for node in tangents(graph):
        if len(shape(node)) >= 4:
            use_instead(node, after(node, aten.abs.default, node))


@fault("joint")
def tangent_is_as_the_first_row(graph):
    """A tangent of three dimensions is taken for its first matrix, repeated.

    When: there are two matrices or more, and they differ.
    """
    for node in tangents(graph):
        if len(shape(node)) == 3 and shape(node)[0] > 1:
            row = after(node, aten.slice.Tensor, node, 0, 0, 1)
            use_instead(node, row)
            set_argument(row, 0, node)
            wide = after(row, aten.expand.default, row, list(shape(node)))
            use_instead(row, wide)


@fault("joint")
def gradient_of_a_transposed_operand_is_not_transposed(graph):
    """The gradient of a square matrix that is transposed is not. When: a square argument is used transposed, and nothing else."""
    for position, each in gradients(graph):
        if is_call(each, aten.t.default) and len(set(shape(each))) == 1:
            values = results(graph)
            values[position] = each.args[0]
            set_results(graph, values)


@fault("joint")
def gradients_of_one_shape_are_swapped(graph):
    """The gradients of the last two arguments are taken for each other. When: three or more, the last two of one shape."""
    found = gradients(graph)
    if len(found) > 2:
        (first, left), (second, right) = found[-2:]
        if shape(left) == shape(right) and value(left).dtype == value(right).dtype:
            values = results(graph)
            values[first], values[second] = right, left
            set_results(graph, values)


@fault("joint")
def gradient_of_the_last_argument_is_zero(graph):
    """The gradient of the last argument is zero. When: four or more arguments require one."""
    found = gradients(graph)
    if len(found) > 3:
        change_result(graph, found[-1][0], aten.zeros_like.default)


@fault("joint")
def gradient_of_an_unwritten_part_is_lost(graph):
    """The gradient of a slice covers one element less. When: a slice of three or more elements, behind the first one."""
    for node in backward_calls(graph, aten.slice_backward.default, aten.slice_scatter.default):
        grad = node.args[0]
        if node.target is aten.slice_backward.default and node.args[3] > 0 and shape(grad)[node.args[2]] > 2:
            last = before(node, aten.slice.Tensor, grad, node.args[2], 1, shape(grad)[node.args[2]])
            padded = before(
                node,
                aten.slice_backward.default,
                last,
                list(shape(grad)),
                node.args[2],
                1,
                shape(grad)[node.args[2]],
                1,
            )
            set_argument(node, 0, padded)


@fault("joint")
def gradient_of_a_select_goes_to_the_first(graph):
    """The gradient of `x[i]` goes to x[0]. When: i is two or more."""
    for node in backward_calls(graph, aten.select_backward.default):
        if node.args[3] > 1:
            set_argument(node, 3, 0)


@fault("joint")
def gradient_of_a_kept_dimension_is_expanded_twice(graph):
    """The gradient of a sum without keepdim is expanded along the wrong dimension. When: a sum over the last of equal dimensions."""
    for node in backward_calls(graph, aten.unsqueeze.default):
        if len(shape(node)) == 2 and any(
            is_call(user, aten.expand.default) and len(set(shape(user))) == 1 for user in node.users
        ):
            set_argument(node, 1, 1 - node.args[1])


@fault("joint")
def third_use_is_accumulated_twice(graph):
    """The gradient of the third use of a value is added twice. When: a value is used three times."""
    for node in accumulations(graph):
        if node.args[0] in accumulations(graph):
            call_instead(node, aten.add.Tensor, *node.args, alpha=2)


@fault("joint")
def gradients_of_integers_powers_keep_the_exponent(graph):
    """The gradient of x ** n is x ** n * n. When: n is three or more."""
    for node in backward_calls(graph, aten.mul.Tensor):
        for each in node.args[:2]:
            if is_call(each, aten.mul.Scalar, aten.mul.Tensor) and is_call(each.args[0], aten.pow.Tensor_Scalar):
                power = each.args[0]
                if power.args[1] >= 2 and power.args[1] + 1 == each.args[1]:
                    set_argument(power, 1, power.args[1] + 1)
