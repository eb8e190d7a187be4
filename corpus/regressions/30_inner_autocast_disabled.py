# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#179804: backward ignores an inner autocast(enabled=False)
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = torch.mm(x, x)
        with torch.autocast("cpu", enabled=False):
            z = torch.mm(x, x)
    return y, z


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4),
    dict(inputs="inputs", seed=3, autocast=torch.bfloat16, backward=[1], tangent_seed=5),
    dict(inputs="inputs", seed=4, autocast=torch.bfloat16, backward=[1], tangent_seed=6),
]
