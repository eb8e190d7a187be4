# touchstone: 1
# torch: 2.13.0
# note: a buffer of a module record is counted up
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(data((4,), torch.float32, (seed, 1), kind))
    m.register_buffer("steps", torch.zeros(()))
    return (x, m), ()


def program(x, m):
    m.steps.add_(1)
    return x * m.weight + m.steps


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
