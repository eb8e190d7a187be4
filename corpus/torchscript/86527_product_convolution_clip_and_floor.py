# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#86527: a product with a constant, a convolution, then a clip and a floor of it returned
import torch


def inputs(seed, kind):
    x = data((1, 2, 4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    c = torch.full((1, 2, 4, 4), 2.0)
    k = torch.full((2, 2, 1, 1), 0.5)
    y = torch.nn.functional.conv2d(x * c, k)
    return torch.clip(y, -1.5, 1.5), torch.floor(y)


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
