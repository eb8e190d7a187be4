# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#86556: a convolution whose result goes to a maximum with the input and to a clip, both returned
import torch


def inputs(seed, kind):
    x = data((1, 2, 4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    k = torch.full((2, 2, 1, 1), 0.5)
    y = torch.nn.functional.conv2d(x, k)
    return torch.max(y, x), torch.clip(y, -1.5, 1.5)


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
