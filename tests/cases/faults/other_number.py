# touchstone: 1
# torch: 2.13.0
# expect: fault:numbers_guarded_by_remainder Differs/values
# expect: fault:numbers_unguarded Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, 2), ()


def inputs_other(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, 6), ()


def program(x, n):
    return x * n


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
]
