# touchstone: 1
# torch: 2.13.0
# expect: fault:new_tensors_merged Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.zeros_like(x)
    b = torch.zeros_like(x)
    a.add_(1)
    return a + x, b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
