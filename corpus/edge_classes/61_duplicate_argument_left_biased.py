# touchstone: 1
# torch: 2.13.0
# note: the same tensor in slots 0 and 2, another between; the last is mutated, the first is used
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w, x), ()


def program(a, w, b):
    b.add_(1)
    return a * w, a.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
