# touchstone: 1
# torch: 2.13.0
# note: the kernel of mvlgamma fills a range in place, through an operator that has no functional form
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.abs() + 2
    z = y.detach().clone().mvlgamma_(3)
    whole = torch.full((2,), 4)
    return torch.mvlgamma(y, 2) * 2, z, torch.mvlgamma(whole, 3), torch.mvlgamma(whole.to(torch.uint8), 2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, kind="uniform", backward=[0]),
]
