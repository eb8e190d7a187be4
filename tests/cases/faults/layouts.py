# touchstone: 1
# torch: 2.13.0
# expect: fault:like_is_contiguous Differs/strides
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((2, 3, 4), torch.float32, (seed, 1), kind)
    z = data((2, 3, 4, 5), torch.float32, (seed, 2), kind).to(memory_format=torch.channels_last)
    return (x, y, z), ()


def program(x, y, z):
    return torch.sin(x.t()), torch.sin(y.permute(2, 0, 1)), torch.sin(z), torch.zeros_like(x.t())


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
