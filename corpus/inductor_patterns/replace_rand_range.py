# touchstone: 1
# torch: 2.13.0
# note: rand in three dtypes stays below 1
# fires: replace_random/replace_random#4
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.rand(65536, dtype=torch.float16)
    b = torch.rand(65536, dtype=torch.bfloat16)
    return (a < 1).all(), (b < 1).all(), (torch.rand(65536) < 1).all(), x + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"fallback_random": False})
