# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#86664: a convolution with padding 255 and dilation 1014: eager raises if the kernel does not fit
import torch


def inputs(seed, kind):
    x = data((1, 1, 4, 600), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    k = torch.full((1, 1, 1, 2), 0.5)
    return (torch.nn.functional.conv2d(x, k, padding=[0, 255], dilation=[1, 1014]),)


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
