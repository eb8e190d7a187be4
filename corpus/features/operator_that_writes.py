# touchstone: 1
# torch: 2.13.0
# note: a custom operator that writes to a view of an input and to what was computed
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


@torch.library.custom_op("mine::add_into", mutates_args=("out",))
def add_into(x: torch.Tensor, out: torch.Tensor) -> None:
    out.add_(x)


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = w * 2 + x
    add_into(x[1], x[2])
    add_into(x, y)
    return (y * w).sum(), x[1:3]


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
