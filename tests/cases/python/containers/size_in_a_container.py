# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    sizes = {"x": x.shape, "y": tuple(y.shape), "both": torch.Size([3, 2])}
    same = all(s == (3, 2) for s in sizes.values())
    return x.reshape(sizes["both"]) * y, sizes, same


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
