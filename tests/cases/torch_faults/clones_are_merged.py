# touchstone: 1
# expect: torch:fault:clones_are_merged Differs/partition/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    return y.clone(), y.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
