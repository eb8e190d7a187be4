"""What is to be raised is not, or what is not to be is."""

import torch

from .graph_edits import aten, calls, is_tensor, named, operations, placeholders, shape, value
from .table import fault


def _swallowing(call, fallback):
    def run(*arguments):
        try:
            return call(*arguments)
        except Exception:
            return fallback(arguments)

    return run


@fault("entry")
def errors_of_calls_give_none(call):
    """A call that raises returns None. When: eager raises while it runs."""
    return _swallowing(call, lambda arguments: None)


@fault("entry")
def errors_give_the_first_argument(call):
    """A call that raises returns its first argument. When: eager raises while it runs."""
    return _swallowing(call, lambda arguments: arguments[0] if arguments else None)


@fault("entry")
def errors_are_raised_once(call):
    """After an error the next one gives None. When: eager raises in two calls."""
    raised = []

    def run(*arguments):
        try:
            return call(*arguments)
        except Exception:
            if raised:
                return None
            raised.append(True)
            raise

    return run


@fault("entry")
def second_call_raises(call):
    """The second call with a tuple of three tensors or more as its result raises. When: three or more results."""
    count = [0]

    def run(*arguments):
        given = call(*arguments)
        count[0] += 1
        if count[0] == 2 and isinstance(given, tuple) and len(given) > 2:
            raise RuntimeError("the results do not fit the plan of the first call")
        return given

    return run


@fault("entry")
def none_is_refused(call):
    """A Program whose result is None is refused. When: it returns nothing."""

    def run(*arguments):
        given = call(*arguments)
        if given is None:
            raise TypeError("a compiled function has to return a tensor")
        return given

    return run


@fault("runtime")
def empty_arguments_are_refused(call):
    """A graph refuses an argument without elements. When: one has none."""

    def run(*arguments):
        if any(isinstance(each, torch.Tensor) and each.numel() == 0 for each in arguments):
            raise RuntimeError("an argument has no elements")
        return call(*arguments)

    return run


@fault("dynamo")
def division_by_zero_gives_zero(graph):
    """A division of integers by zero gives zero. When: a floor division or remainder by a tensor that holds zero."""
    for node in named(graph, "floordiv", "floor_divide", "remainder", "mod"):
        if len(node.args) == 2 and is_tensor(node.args[1]) and not value(node.args[1]).is_floating_point():
            with graph.inserting_before(node):
                zero = graph.call_function(torch.eq, (node.args[1], 0))
                filled = graph.call_function(torch.masked_fill, (node.args[1], zero, 1))
            node.args = (node.args[0], filled)


@fault("forward")
def indices_are_not_checked(graph):
    """An index beyond the end is taken for the last. When: a tensor of indices holds one."""
    for node in calls(graph, aten.index_select.default, aten.gather.default):
        last = shape(node.args[0])[node.args[1]] - 1
        with graph.inserting_before(node):
            clamped = graph.call_function(aten.clamp.default, (node.args[2], 0, last))
        node.args = (node.args[0], node.args[1], clamped)


@fault("forward")
def negative_indices_wrap(graph):
    """An index below zero counts from the end where eager refuses it. When: index_select or gather with a negative index."""
    for node in calls(graph, aten.index_select.default, aten.gather.default):
        with graph.inserting_before(node):
            wrapped = graph.call_function(aten.remainder.Scalar, (node.args[2], shape(node.args[0])[node.args[1]]))
        node.args = (node.args[0], node.args[1], wrapped)


@fault("forward")
def probabilities_are_not_checked(graph):
    """A probability outside of 0 to 1 is clamped. When: bernoulli of such a tensor."""
    for node in calls(graph, aten.bernoulli.default, aten.bernoulli.p):
        with graph.inserting_before(node):
            clamped = graph.call_function(aten.clamp.default, (node.args[0], 0, 1))
        node.args = (clamped, *node.args[1:])


@fault("backward")
def tangents_of_zero_dimensions_raise(graph):
    """A backward of a result without dimensions raises beyond three operations. When: such a backward of four or more."""
    tangents = [node for node in placeholders(graph) if node.name.startswith("tangents")]
    if any(shape(node) == () for node in tangents if is_tensor(node)) and len(operations(graph)) > 3:
        with graph.inserting_after(placeholders(graph)[-1]):
            graph.call_function(_refuse, ())


def _refuse():
    raise RuntimeError("a tangent has no dimensions")


@fault("backward_call")
def third_backward_raises(call):
    """The third backward of one graph raises. When: a compiled graph is differentiated three times, in one call or several."""
    count = [0]

    def run(arguments):
        count[0] += 1
        if count[0] > 2:
            raise RuntimeError("the saved tensors are freed")
        return call(arguments)

    return run


@fault("dynamo")
def many_operations_are_refused(graph):
    """A graph of more than 24 operations is refused. When: such a Program."""
    if len(operations(graph)) > 24:
        raise NotImplementedError("the graph is too large")


@fault("forward")
def five_dimensions_are_refused(graph):
    """A graph with a tensor of five dimensions is refused. When: such a tensor."""
    if any(is_tensor(node) and len(shape(node)) > 4 for node in graph.nodes):
        raise AssertionError("at most four dimensions")


@fault("backward")
def complex_gradients_are_refused(graph):
    """A backward with a complex tangent is refused. When: a complex result is differentiated."""
    if any(is_tensor(node) and value(node).is_complex() for node in placeholders(graph)):
        raise NotImplementedError("a complex tangent")


@fault("dynamo")
def vectors_of_one_element_are_refused(graph):
    """A matrix times a vector of one element is refused. When: such a product."""
    for node in named(graph, "mv"):
        if shape(node.args[1]) == (1,):
            raise IndexError("a vector of one element")
