# touchstone: 1
# torch: 2.13.0
# note: the same with a gradient, the pieces used again
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a, b = torch.split(x.sin(), [3, 5], 1)
    return torch.cat([a, b], 1) * 2, a + 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
