# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#113172: values equal, output strides differ
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    base = data((24,), torch.float32, (seed, 0), kind).requires_grad_()
    x = torch.as_strided(base, (2, 3, 2), (1, 4, 2), 3)
    return (x,), (base,)


def program(x):
    return x.add(1), x.sum(1), torch.cat((x, x), 2), x.permute(2, 0, 1).mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
