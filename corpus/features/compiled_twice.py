# touchstone: 1
# torch: 2.13.0
# note: two compiled objects of the same Program serve calls in turn, and the first one's backward runs last
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sin() * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4, instance=1),
    dict(inputs="inputs", seed=3, backward_after=[1, 0], instance=1),
    dict(inputs="inputs", seed=4, backward=[0], tangent_seed=5),
]
