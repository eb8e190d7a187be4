"""What the Program calls is recorded as another call: indices, dimensions, overloads."""

import torch

from .graph_edits import call_instead, is_tensor, name_of, named, operations, set_argument, shape, value
from .table import fault


def _indices(graph):
    for node in named(graph, "getitem"):
        if is_tensor(node.args[0]):
            yield node, node.args[1]


@fault("dynamo")
def step_of_a_slice_is_dropped(graph):
    """`x[a:b:2]` is recorded without its step. When: a step that is not 1."""
    for node, index in _indices(graph):
        if isinstance(index, slice) and index.step not in (None, 1):
            set_argument(node, 1, slice(index.start, index.stop))


@fault("dynamo")
def stop_of_a_slice_is_clamped_twice(graph):
    """`x[:-1]` is recorded as `x[:-2]`. When: a negative stop and three or more elements."""
    for node, index in _indices(graph):
        if isinstance(index, slice) and isinstance(index.stop, int) and index.stop < 0 and shape(node.args[0])[0] > 2:
            set_argument(node, 1, slice(index.start, index.stop - 1, index.step))


@fault("dynamo")
def ellipsis_is_the_first_dimension(graph):
    """`x[..., i]` is recorded as `x[i]`. When: an ellipsis first, before one index that both dimensions have."""
    for node, index in _indices(graph):
        if isinstance(index, tuple) and len(index) == 2 and index[0] is Ellipsis and isinstance(index[1], int):
            if -shape(node.args[0])[0] <= index[1] < shape(node.args[0])[0]:
                set_argument(node, 1, index[1])


@fault("dynamo")
def new_dimension_goes_first(graph):
    """`x[:, None]` is recorded as `x[None]`. When: None as an index behind a slice."""
    for node, index in _indices(graph):
        if isinstance(index, tuple) and None in index[1:] and index[0] == slice(None):
            set_argument(node, 1, (None, *[each for each in index if each is not None]))


@fault("dynamo")
def mask_is_an_index(graph):
    """`x[mask] = y` is recorded as an index by the mask's integers. When: a bool tensor is the index of an assignment."""
    for node in named(graph, "setitem"):
        index = node.args[1]
        if is_tensor(index) and value(index).dtype == torch.bool:
            with graph.inserting_before(node):
                set_argument(node, 1, graph.call_method("long", (index,)))


@fault("dynamo")
def true_as_an_index_is_one(graph):
    """`x[True]` is recorded as `x[1]`. When: a bool constant is the index."""
    for node, index in _indices(graph):
        if index is True and shape(node.args[0])[:1] > (1,):
            set_argument(node, 1, 1)


@fault("dynamo")
def second_index_tensor_is_the_first(graph):
    """`x[i, j]` is recorded as `x[i, i]`. When: two index tensors."""
    for node, index in _indices(graph):
        if isinstance(index, tuple) and len(index) == 2 and all(is_tensor(each) for each in index):
            if max(shape(node.args[0])) == min(shape(node.args[0])):
                set_argument(node, 1, (index[0], index[0]))


@fault("dynamo")
def unsqueeze_counts_before_it_adds(graph):
    """`unsqueeze(-1)` counts from the end of what it is given. When: a negative dimension, of a tensor that has two or more."""
    for node in named(graph, "unsqueeze"):
        dim = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim")
        if isinstance(dim, int) and dim < 0 and len(shape(node.args[0])) > 1:
            call_instead(node, torch.unsqueeze, node.args[0], max(dim + len(shape(node.args[0])), 0))


@fault("dynamo")
def squeeze_takes_all(graph):
    """`squeeze(dim)` removes every dimension of size one. When: another one is there."""
    for node in named(graph, "squeeze"):
        if len(node.args) > 1:
            node.args = node.args[:1]


@fault("dynamo")
def view_as_dtype_converts(graph):
    """`view(dtype)` is recorded as `to(dtype)`. When: the bits of a tensor are taken as another dtype."""
    for node in named(graph, "view"):
        if len(node.args) == 2 and isinstance(node.args[1], torch.dtype):
            call_instead(node, torch.Tensor.to, *node.args)


@fault("dynamo")
def flatten_starts_at_zero(graph):
    """`flatten(start_dim=1)` is recorded as `flatten()`. When: the start is given."""
    for node in named(graph, "flatten"):
        node.args, node.kwargs = node.args[:1], {}


@fault("dynamo")
def negative_dimension_of_cumsum_is_the_one_before(graph):
    """A negative `dim` of cumsum, cumprod or flip is one off. When: three or more dimensions."""
    for node in named(graph, "cumsum", "cumprod"):
        if len(node.args) > 1 and isinstance(node.args[1], int) and node.args[1] < 0 and len(shape(node.args[0])) > 2:
            set_argument(node, 1, node.args[1] - 1 if node.args[1] > -len(shape(node.args[0])) else -1)


@fault("dynamo")
def dropout_is_training(graph):
    """`dropout(training=False)` is recorded as in training. When: a dropout that does nothing."""
    for node in named(graph, "dropout"):
        if node.kwargs.get("training") is False:
            node.kwargs = {**node.kwargs, "training": True}


@fault("dynamo")
def expand_minus_one_is_one(graph):
    """`expand(-1, n)` is recorded as of size one there. When: the dimension kept has another size and is the first."""
    for node in named(graph, "expand"):
        if -1 in node.args[1:]:
            size = shape(node)
            last = node.args[0]
            with graph.inserting_before(node):
                first = graph.call_method("narrow", (last, 0, 0, 1))
            if len(shape(last)) == len(size):
                call_instead(node, torch.Tensor.expand, first, size)


@fault("dynamo")
def permute_is_inverted(graph):
    """`permute` is recorded with the inverse permutation. When: it is not its own inverse, and sizes allow it."""
    for node in named(graph, "permute"):
        dims = node.args[1] if isinstance(node.args[1], (tuple, list)) else node.args[1:]
        rank = len(dims)
        if all(isinstance(each, int) for each in dims):
            wrapped = [each % rank for each in dims]
            call_instead(node, torch.permute, node.args[0], tuple(wrapped.index(each) for each in range(rank)))


@fault("dynamo")
def dot_of_integers_is_not_summed(graph):
    """A product of two vectors of integers is recorded as elementwise, and not summed. When: matmul or dot of two such vectors."""
    for node in named(graph, "matmul", "dot"):
        if len(shape(node.args[0])) == len(shape(node.args[1])) == 1 and not value(node).is_floating_point():
            call_instead(node, torch.mul, *node.args)


@fault("dynamo")
def maximum_is_a_choice(graph):
    """`maximum` is recorded as where(x > y, x, y). When: the first is NaN and the second is not."""
    for node in named(graph, "maximum"):
        greater = call_instead(node, torch.gt, *node.args)
        arguments = greater.args
        users = list(greater.users)
        with graph.inserting_after(greater):
            chosen = graph.call_function(torch.where, (greater, *arguments))
        for user in users:
            user.replace_input_with(greater, chosen)
        chosen.meta["example_value"] = value(arguments[0])


@fault("dynamo")
def integer_division_stays_integer(graph):
    """`x / y` of integers is recorded as a floor division. When: both operands are integers."""
    for node in operations(graph):
        if name_of(node) in ("truediv", "div", "true_divide") and not node.kwargs:
            if not any(value(each).is_floating_point() for each in node.args if is_tensor(each)) and is_tensor(
                node.args[0]
            ):
                if is_tensor(node.args[1]) or isinstance(node.args[1], int):
                    call_instead(node, torch.floor_divide, *node.args)


@fault("dynamo")
def where_with_a_number_takes_its_dtype(graph):
    """`where(c, x, 1.0)` of single precision gives double. When: a branch is a float constant and the other single."""
    for node in named(graph, "where"):
        if len(node.args) == 3 and isinstance(node.args[2], float) and value(node).dtype == torch.float32:
            with graph.inserting_before(node):
                wide = graph.call_method("double", (node.args[1],))
            wide.meta["example_value"] = value(node.args[1])
            set_argument(node, 1, wide)


@fault("dynamo")
def repeat_is_repeat_interleave(graph):
    """`x.repeat(n)` is recorded as repeat_interleave. When: a vector is repeated twice or more."""
    for node in named(graph, "repeat"):
        if len(node.args) == 2 and isinstance(node.args[1], int) and len(shape(node.args[0])) == 1:
            call_instead(node, torch.repeat_interleave, *node.args)


@fault("dynamo")
def pieces_of_a_split_begin_early(graph):
    """Pieces of a split but the first begin one element early.

    When: `split` along the first dimension into three pieces or more of different sizes.
    """
    for node in named(graph, "split"):
        sizes = node.args[1] if len(node.args) == 2 and not node.kwargs else None
        if isinstance(sizes, (tuple, list)) and len(sizes) > 2 and len(sizes) == len(set(sizes)):
            start = {index: sum(sizes[:index]) for index in range(len(sizes))}
            for user in [each for each in node.users if name_of(each) == "getitem" and start[each.args[1]] > 0]:
                size = sizes[user.args[1]]
                call_instead(user, torch.narrow, node.args[0], 0, start[user.args[1]] - 1, size)
