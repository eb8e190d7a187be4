# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#92740: a convolution of a constant by an input, then relu_, and one of the constant by a constant
import torch


def inputs(seed, kind):
    x = data((2, 2, 1, 1), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    c = torch.full((1, 2, 4, 4), 2.0)
    k = torch.full((2, 2, 1, 1), 0.5)
    y = torch.nn.functional.conv2d(c, k).relu_()
    return torch.nn.functional.conv2d(c, x).relu_(), y + x.sum()


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
