# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#91396: a convolution without input channels
# expect: ts_compile BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((1, 0, 4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    k = torch.full((2, 0, 1, 1), 0.5)
    return (torch.nn.functional.conv2d(x, k),)


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
