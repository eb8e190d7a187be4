# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#130736: non-contiguous tangents
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.t().mul(2), x.mul(3)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4, tangent_layout="transposed"),
    dict(inputs="inputs", seed=3, backward=[0, 1], tangent_seed=5, tangent_layout="expanded"),
    dict(inputs="inputs", seed=4, backward=[0], tangent_seed=6, tangent_layout="gapped"),
    dict(inputs="inputs", seed=5, backward=[0], via="grad", wrt=[0], tangent_seed=7),
    dict(inputs="inputs", seed=6, backward=[0], tangent_seed=8, backward_times=2),
]
