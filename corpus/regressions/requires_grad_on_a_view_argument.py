# touchstone: 1
# torch: 2.13.0
# note: requires_grad_() on an argument that is a view of something that requires none; a native pipeline of ours was wrong here
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    base = data((4, 2), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (2, 2), (2, 1), 2)
    return (x,), ()


def program(x):
    x.requires_grad_()
    return x, x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
]
