# touchstone: 1
# torch: 2.13.0
# note: the compiler's caches are dropped between calls
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, reset=True, backward=[0], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[0], tangent_seed=5),
]
