# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#92563: a convolution, then a clamp whose bounds are integers
# expect: ts_compile InternalError/compile
import torch


def inputs(seed, kind):
    x = data((1, 2, 4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    k = torch.full((2, 2, 1, 1), 0.5)
    return (torch.clamp(torch.nn.functional.conv2d(x, k), 0, 1),)


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
