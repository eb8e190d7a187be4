"""What the forward saves and the backward computes again."""

import torch

from .graph_edits import (
    after,
    aten,
    before,
    calls,
    is_random,
    is_tensor,
    operations,
    placeholders,
    results,
    set_results,
    shape,
    use_instead,
    value,
    wrap,
)
from .table import fault


def saved(forward, backward):
    """(position among the forward's results, the backward's placeholder) of each saved tensor."""
    given = [node for node in placeholders(backward) if not node.name.startswith("tangents")]
    by_name = {node.name: node for node in given}
    values = results(forward)
    return [
        (position, by_name[each.name])
        for position, each in list(enumerate(values))[len(values) - len(given) :]
        if isinstance(each, torch.fx.Node) and each.name in by_name and is_tensor(each)
    ]


def _alike(left, right):
    return shape(left) == shape(right) and value(left).dtype == value(right).dtype


def _swap(forward, first, second):
    values = results(forward)
    values[first], values[second] = values[second], values[first]
    set_results(forward, values)


@fault("partition")
def saved_values_of_one_shape_are_swapped(forward, backward):
    """The first two saved values of one shape are given to the backward in the other order. When: two such values."""
    kept = saved(forward, backward)
    for (first, left), (second, right) in zip(kept, kept[1:]):
        if _alike(left, right):
            return _swap(forward, first, second)


@fault("partition")
def last_saved_values_are_swapped(forward, backward):
    """The last two of three or more saved values are swapped. When: they have one shape."""
    kept = saved(forward, backward)
    if len(kept) > 2 and _alike(kept[-1][1], kept[-2][1]):
        _swap(forward, kept[-1][0], kept[-2][0])


@fault("partition")
def saved_results_are_saved_arguments(forward, backward):
    """A saved intermediate is taken for an argument of its shape. When: an intermediate is saved, and there is such an argument."""
    values = results(forward)
    for position, node in saved(forward, backward):
        if values[position].op == "call_function":
            alike = [each for each in placeholders(forward) if is_tensor(each) and _alike(each, node)]
            if alike:
                values[position] = alike[0]
    set_results(forward, values)


@fault("partition")
def draws_are_made_again(forward, backward):
    """A random value is drawn again in the backward. When: one is saved."""
    values = results(forward)
    for position, node in saved(forward, backward):
        if is_random(values[position]):
            last = placeholders(backward)[-1]
            with backward.inserting_after(last):
                drawn = backward.call_function(aten.rand_like.default, (node,))
            drawn.meta["val"] = value(node)
            use_instead(node, drawn)


@fault("partition")
def saved_masks_of_dropout_are_inverted(forward, backward):
    """The saved mask of a dropout is inverted. When: a dropout in training has a gradient."""
    for _, node in saved(forward, backward):
        if (
            value(node).dtype == torch.bool
            and "drop" in " ".join(each.name for each in operations(forward)) + node.name
        ):
            last = placeholders(backward)[-1]
            with backward.inserting_after(last):
                flipped = backward.call_function(aten.logical_not.default, (node,))
            flipped.meta["val"] = value(node)
            use_instead(node, flipped)


@fault("partition")
def saved_value_is_the_result_after_it(forward, backward):
    """What is saved is the next call's result. When: that has the same shape and is an in-between value."""
    values = results(forward)
    for position, node in saved(forward, backward):
        each = values[position]
        if (
            each.op == "call_function"
            and each.next.op == "call_function"
            and is_tensor(each.next)
            and _alike(each.next, each)
        ):
            values[position] = each.next
    set_results(forward, values)


@fault("partition")
def slices_are_taken_again_from_the_start(forward, backward):
    """A slice that the backward takes again begins at the first element. When: a slice that does not is a factor."""
    for node in calls(backward, aten.slice.Tensor):
        if node.args[0] in placeholders(backward) and len(node.args) > 2 and node.args[2] > 0:
            size = shape(node)[node.args[1]]
            node.args = (*node.args[:2], 0, size)


@fault("partition")
def saved_transposed_values_are_transposed_back(forward, backward):
    """A saved transposed square is saved as it lies in memory. When: such a value is saved."""
    values = results(forward)
    for position, _ in saved(forward, backward):
        each = values[position]
        if each in calls(forward, aten.t.default) and len(set(shape(each))) == 1:
            values[position] = each.args[0]
    set_results(forward, values)


@fault("partition")
def written_arguments_are_saved_as_they_were(forward, backward):
    """Of an argument that is written to, the value before the write is saved. When: the backward needs the value after it."""
    values = results(forward)
    written = {node.args[1]: node.args[0] for node in calls(forward, aten.copy_.default)}
    first = values[0] if values else None
    for position, node in saved(forward, backward):
        each = values[position]
        source = written.get(each)
        if source is None and each is first and each.op == "call_function":
            source = next((arg for arg in each.all_input_nodes if arg.op == "placeholder" and _alike(arg, each)), None)
        if source is not None:
            values[position] = before(operations(forward)[0], aten.clone.default, source)
    set_results(forward, values)


@fault("partition")
def values_are_computed_again_without_their_keywords(forward, backward):
    """What is computed again in the backward loses its alpha. When: an add with alpha is recomputed or saved."""
    for node in calls(backward, aten.add.Tensor, aten.sub.Tensor):
        if "alpha" in node.kwargs:
            node.kwargs = {}
    values = results(forward)
    for position, _ in saved(forward, backward):
        each = values[position]
        if each in calls(forward, aten.add.Tensor, aten.sub.Tensor) and "alpha" in each.kwargs:
            values[position] = after(each, each.target, *each.args)
    set_results(forward, values)


@fault("partition")
def values_are_computed_again_from_results(forward, backward):
    """exp is computed again of what it gave. When: the backward computes an exp."""
    for node in calls(backward, aten.exp.default, aten.sin.default, aten.cos.default):
        if node.args[0] in placeholders(backward):
            again = after(node, node.target, node)
            use_instead(node, again)


@fault("partition")
def saved_comparisons_are_turned(forward, backward):
    """A saved comparison is of swapped operands. When: maximum or where of two tensors that require gradients."""
    values = results(forward)
    for position, _ in saved(forward, backward):
        each = values[position]
        if each in calls(forward, aten.lt.Tensor, aten.gt.Tensor, aten.le.Tensor, aten.ge.Tensor):
            values[position] = after(each, each.target, *each.args[::-1])
    set_results(forward, values)


@fault("partition")
def saved_scalars_are_half_more(forward, backward):
    """A half is added to saved values without dimensions. When: such a value is saved."""
    for _, node in saved(forward, backward):
        if shape(node) == () and value(node).is_floating_point():
            wrap(node, aten.add.Tensor, 0.5)


@fault("partition")
def third_saved_value_is_the_first(forward, backward):
    """The third saved value is the first one again. When: three saved values, the third like the first."""
    kept = saved(forward, backward)
    if len(kept) > 2 and _alike(kept[0][1], kept[2][1]):
        values = results(forward)
        values[kept[2][0]] = values[kept[0][0]]
        set_results(forward, values)
