# touchstone: 1
# torch: 2.13.0
# note: TorchScript takes a custom operator that writes as it is, where its schema says so; it was refused, and the refusal was excused
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


@torch.library.custom_op("drawn::add_into_", mutates_args=("out",))
def add_into_(out: torch.Tensor, x: torch.Tensor) -> None:
    out.add_(x)


@add_into_.register_fake
def _(out, x):
    return None


def inputs(seed, kind):
    x1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x1,), ()


def program(x1):
    y0 = x1 * x1
    y1 = y0.clone()
    torch.ops.drawn.add_into_(y1, x1.detach())
    return y1, y0


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
