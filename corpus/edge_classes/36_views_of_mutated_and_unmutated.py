# touchstone: 1
# torch: 2.13.0
# note: views of a mutated and of an unmutated input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), (leaf,)


def program(x, y):
    x.mul_(2)
    return x.view(-1), y.view(-1), x * y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 2], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1, 2], tangent_seed=4),
]
