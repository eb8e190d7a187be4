"""How what a Program returns is put together again around its compiled graphs."""

import torch

from .table import fault


@fault("entry")
def tuples_become_lists(call):
    """A Program's tuple is returned as a list. When: the tuple has four or more elements."""

    def run(*arguments):
        given = call(*arguments)
        return list(given) if isinstance(given, tuple) and len(given) > 3 else given

    return run


@fault("entry")
def tuple_of_one_is_unpacked(call):
    """A tuple of one result is returned as the result. When: a Program returns a tuple of one."""

    def run(*arguments):
        given = call(*arguments)
        return given[0] if isinstance(given, tuple) and len(given) == 1 else given

    return run


@fault("entry")
def nested_results_are_flat(call):
    """A tuple in a tuple is flattened. When: results are nested."""

    def run(*arguments):
        given = call(*arguments)
        if isinstance(given, tuple) and any(isinstance(each, tuple) for each in given):
            return tuple(torch.utils._pytree.tree_leaves(given))
        return given

    return run


@fault("entry")
def keys_of_results_are_sorted(call):
    """A dict of results has its values in the order of sorted keys. When: a Program returns a dict with keys in another order."""

    def run(*arguments):
        given = call(*arguments)
        return dict(zip(given, [given[key] for key in sorted(given)])) if isinstance(given, dict) else given

    return run


@fault("entry")
def numbers_are_tensors(call):
    """A number among the results is a tensor. When: a Program returns a tuple with a number."""

    def run(*arguments):
        given = call(*arguments)
        if isinstance(given, tuple):
            return tuple(torch.tensor(each) if type(each) in (int, float) else each for each in given)
        return given

    return run


@fault("entry")
def same_object_twice_is_two(call):
    """A tensor that is returned twice comes back as two objects. When: a Program returns one object twice."""

    def run(*arguments):
        given = call(*arguments)
        if not isinstance(given, tuple):
            return given
        return tuple(
            (
                each.view_as(each)
                if isinstance(each, torch.Tensor) and any(each is one for one in given[:position])
                else each
            )
            for position, each in enumerate(given)
        )

    return run
