# touchstone: 1
# torch: 2.13.0
# expect: fault:draws_exchanged Differs/values
# expect: fault:draws_merged Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.rand_like(x)
    b = torch.rand_like(x)
    c = torch.randn_like(x)
    return a + x, b, c


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
