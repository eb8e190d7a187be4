# touchstone: 1
# torch: 2.13.0
# note: a custom operator writes to an argument while it reads a clone of it, shape of pytorch/pytorch#198031: Inductor drops the clone, then the copy that the write was made to, and the operator reads what it has just written, silently.
# expect: torch:inductor Differs/values/call 0 output 0
import torch


@torch.library.custom_op("mine::reverse_into", mutates_args=("out",))
def reverse_into(source: torch.Tensor, out: torch.Tensor) -> None:
    for i in range(source.shape[0]):
        out[source.shape[0] - 1 - i] = source[i]


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.clone()
    reverse_into(y, x)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
