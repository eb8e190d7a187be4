# touchstone: 1
# torch: 2.13.0
# note: Inductor writes in place what another lane still reads. A bug, silent (pytorch/pytorch#198033).
# expect: ts Differs/values
# expect: simple_ts_compile Differs/values
# expect: ts_compile Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = data((8, 8), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    torch._foreach_add_([x], [x.flip(0)])
    return x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
