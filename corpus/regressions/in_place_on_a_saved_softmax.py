# touchstone: 1
# torch: 2.13.0
# note: a saved output is changed in place; only a leaf that nobody sees is behind it, and the backward raises all the same; a native pipeline of ours was wrong here
# expect: torch:aot_function Differs/requires_grad
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:inductor Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    leaf = torch.ones((3,), requires_grad=True)
    y = leaf.softmax(0)
    y += x
    return (y,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
