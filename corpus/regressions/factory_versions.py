# touchstone: 1
# torch: 2.13.0
# note: factories and data of kind `ones` begin at version 0, as the error of the backward says
# note: rule A8: eager's own backward raises, and the compiler finds that out while it traces
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:aot_function Limit/A8
# expect: torch:inductor Limit/A8
# expect: ts BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x0 = data((2,), torch.float32, (seed, 1), kind)
    x1 = data((2,), torch.float32, (seed, 2), kind).requires_grad_()
    return (x0, x1), ()


def program(x0, x1):
    y0 = torch.full((2,), 3.0)
    y1 = x1.mul(y0)
    y2 = x1.mul(x0)
    y0.add_(1)
    x0.add_(1)
    return y1, y2


CALLS = [
    dict(inputs="inputs", seed=7, kind="ones", backward=[0]),
    dict(inputs="inputs", seed=7, kind="ones", backward=[1]),
]
