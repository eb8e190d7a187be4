# touchstone: 1
# torch: 2.13.0
# note: a module of torch.nn and a module record inside a record
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Module()
    m.inner = torch.nn.Linear(4, 2)
    m.scale = torch.nn.Parameter(data((2,), torch.float32, (seed, 1), kind))
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, m), ()


def program(x, m):
    return m.inner(x) * m.scale


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
