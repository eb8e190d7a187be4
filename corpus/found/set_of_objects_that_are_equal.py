# touchstone: 1
# torch: 2.13.0
# note: Dynamo tells the elements of a set apart by identity and never asks `__eq__` and `__hash__` of a class of the user's; two equal objects are two elements. A bug: silent wrong values.
# expect: torch:eager_python Reference
# expect: torch:eager Differs/values/call 0 output 0
# expect: torch:aot_eager Upstream
import torch


class Key:
    def __init__(self, n):
        self.number = n

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return 5


def inputs(seed, kind):
    x = data((1,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * len(set([Key(1), Key(1)]))


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
