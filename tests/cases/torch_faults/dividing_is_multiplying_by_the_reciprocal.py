# touchstone: 1
# expect: torch:fault:dividing_is_multiplying_by_the_reciprocal Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 1e-39 / 1e-39


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones"),
    dict(inputs="inputs", seed=2, kind="ones"),
]
