# touchstone: 1
# torch: 2.13.0
# note: a parameter is one still where its module is out of sight: behind a break, in a function and a list
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 1, 2), torch.float64, (seed, 1), kind)
    x0 = b0.permute((2, 1, 0))
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(data((1, 2), torch.float32, (seed, 1), kind))
    return (x0, m), ()


def compared(x, ps):
    if x.sum() > 1000:
        return x
    return x < ps[0]


def program(x0, m):
    p0 = m.weight
    print("a break")
    y0 = x0 >= p0
    y1 = compared(x0, [p0])
    return y0, y1, x0 == p0, p0 > x0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
