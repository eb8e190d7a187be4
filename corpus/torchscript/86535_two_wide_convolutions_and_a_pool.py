# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#86535: two wide convolutions and an average pool
import torch


def inputs(seed, kind):
    x = data((1, 64, 4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    k = torch.full((64, 64, 1, 1), 0.25)
    y = torch.nn.functional.conv2d(x, k)
    z = torch.nn.functional.conv2d(y, k)
    return torch.nn.functional.avg_pool2d(z, [2, 2]), y


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
