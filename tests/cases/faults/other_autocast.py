# touchstone: 1
# torch: 2.13.0
# expect: fault:autocast_unguarded Differs/dtype
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x @ x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2, autocast=torch.bfloat16),
    dict(inputs="inputs", seed=3),
]
