# touchstone: 1
# torch: 2.13.0
# note: rand: of its random result only metadata is looked at
# fires: replace_random/replace_random#4
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    r = torch.rand(3, 4)
    return r * 0, x * 2


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"fallback_random": False})
