# touchstone: 1
# torch: 2.13.0
# note: the buffers of a batch norm module in training mode
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    torch.manual_seed(7)
    m = torch.nn.BatchNorm1d(3)
    return (x, m), ()


def program(x, m):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
