# touchstone: 1
# torch: 2.13.0
# note: the one parameter that a custom operator may write to is optional, and None is given for it: Inductor dies of its own assertion, `<built-in function getitem> is not an OpOverload`.
# expect: torch:inductor InternalError/compile
import torch


@torch.library.custom_op("mine::doubled", mutates_args=("out",))
def doubled(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    if out is not None:
        out.add_(x)
    return x * 2


@doubled.register_fake
def _(x, out=None):
    return torch.empty_like(x)


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return doubled(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
