# touchstone: 1
# torch: 2.13.0
# note: a custom operator writes to a complex tensor: Inductor dies of its own assertion, `auto_functionalized_v2 was not removed`.
# expect: torch:inductor InternalError/compile
import torch


@torch.library.custom_op("mine::add_into", mutates_args=("out",))
def add_into(x: torch.Tensor, out: torch.Tensor) -> None:
    out.add_(x)


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.complex(x, x)
    add_into(x, y)
    return torch.view_as_real(y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
