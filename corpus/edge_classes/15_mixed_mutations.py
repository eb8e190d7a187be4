# touchstone: 1
# torch: 2.13.0
# note: normal, no_grad and detached mutations of one input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    return (x,), (leaf,)


def program(x):
    x.mul_(2)
    with torch.no_grad():
        x.add_(1)
    x.detach().mul_(3)
    return x.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
