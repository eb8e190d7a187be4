# touchstone: 1
# torch: 2.13.0
# note: biases of other sizes, one of one element
# fires: post_grad/addmm
# fires: post_grad/addmm#2
import torch


def inputs(seed, kind):
    x = data((4, 5), torch.float32, (seed, 0), kind)
    y = data((5, 6), torch.float32, (seed, 1), kind)
    b = data((4, 1), torch.float32, (seed, 2), kind)
    c = data((1,), torch.float32, (seed, 3), kind)
    return (x, y, b, c), ()


def program(x, y, b, c):
    return x @ y + b, c + x @ y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
