# touchstone: 1
# note: two arguments share memory
import torch


@torch.library.custom_op("mine::reverse_into", mutates_args=("out",))
def reverse_into(source: torch.Tensor, out: torch.Tensor) -> None:
    for i in range(source.shape[0]):
        out[source.shape[0] - 1 - i] = source[i]


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = x.reshape(6)
    reverse_into(y[0:4], y[2:6])
    z = w * 1
    reverse_into(z, z)
    return (z * w).sum(), y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
