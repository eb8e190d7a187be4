# touchstone: 1
# torch: 2.13.0
# note: integers to the power of an int that changes: Inductor has no lowering of it. With dynamic=False it agrees.
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((3,), torch.int64, (seed, 0), kind)
    return (x, 5), ()


def inputs_2(seed, kind):
    x = data((3,), torch.int64, (seed, 0), kind)
    return (x, 6), ()


def inputs_3(seed, kind):
    x = data((3,), torch.int64, (seed, 0), kind)
    return (x, 7), ()


def program(x, y):
    return x ** y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_3", seed=4),
    dict(inputs="inputs_3", seed=5),
]
COMPILE = dict(dynamic=None)
