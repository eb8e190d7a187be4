# touchstone: 1
# torch: 2.13.0
# note: a comparison asks a parameter on its right first, as Python does operands of a subclass: its strides decide
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 1, 2), torch.float64, (seed, 1), kind)
    x0 = b0.permute((2, 1, 0))
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(data((1, 2), torch.float32, (seed, 1), kind))
    return (x0, m), ()


def program(x0, m):
    p0 = m.weight
    return x0 >= p0, p0 >= x0, x0 == p0, x0 < p0, x0 != p0 * 1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
