# touchstone: 1
# torch: 2.13.0
# note: randint stays in its range, in several dtypes
# fires: replace_random/replace_randint
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.randint(-3, 5, (4096,), dtype=torch.int8)
    b = torch.randint(0, 1, (16,))
    c = torch.randint(0, 4294967296, (64,))
    return ((a >= -3) & (a < 5)).all(), b, (c >= 0).all(), x + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"fallback_random": False})
