# touchstone: 1
# torch: 2.13.0
# expect: fault:base_of_view_forgotten Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def write(args, outs):
    with torch.enable_grad():
        outs[1].mul_(3)


def program(x):
    y = x * 2
    return y, y[0]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="write"),
    dict(inputs="inputs", seed=2, backward=[0], between="write"),
]
