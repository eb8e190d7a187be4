# touchstone: 1
# torch: 2.13.0
# note: the argument is a view of a leaf, through which gradients flow, then a leaf of its own
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((2,), torch.float32, (seed, 0), kind).requires_grad_()
    x = torch.as_strided(leaf, (1,), (1,), 1)
    return (x,), (leaf,)


def inputs_2(seed, kind):
    x = data((1,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=11),
    dict(inputs="inputs_2", seed=2, backward=[0], tangent_seed=12),
    dict(inputs="inputs", seed=3, backward=[0], tangent_seed=13),
    dict(inputs="inputs_2", seed=4, backward=[0], tangent_seed=14),
]
