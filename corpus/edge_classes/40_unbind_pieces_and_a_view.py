# touchstone: 1
# torch: 2.13.0
# note: pieces of an input and an ordinary view
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    return (x,), (leaf,)


def program(x):
    a, b, c = x.unbind(0)
    return a, c, x.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
