# touchstone: 1
# torch: 2.13.0
# note: a watched alias sees the mutation, its grad_fn and its version
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    base = leaf.mul(1)
    x = base.view(-1)
    return (x,), (base, leaf)


def program(x):
    x.mul_(2)
    return x.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, "arg 0"], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, "arg 0"], tangent_seed=4),
]
