# touchstone: 1
# torch: 2.13.0
# note: autocast is on when the program is called, and off inside a region
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((4, 4), torch.float32, (seed, 1), kind)
    return (x, w), ()


def program(x, w):
    y = torch.mm(x, w)
    return y, y.float().mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, autocast=torch.bfloat16, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, autocast=torch.bfloat16, backward=[0, 1], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[0, 1], tangent_seed=5),
]
