# touchstone: 1
# torch: 2.13.0
# note: the input is a base that is no leaf; a watched view of it, made before, sees the mutation and gets a new grad_fn
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    return (x,), (leaf, x[1], x.view(-1))


def program(x):
    x.mul_(3)
    return x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, "arg 0"], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, "arg 0"], tangent_seed=4),
]
