# touchstone: 1
# torch: 2.13.0
# expect: fault:later_elements_merged Differs/values
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, 2)
    return a + 1, b + 2, c + 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
