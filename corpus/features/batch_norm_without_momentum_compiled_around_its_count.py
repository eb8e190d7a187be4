# touchstone: 1
# torch: 2.13.0
# note: the number of batches is read in the middle of the module's forward: the Graphs end there and go on behind it
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
import torch


def inputs(seed, kind):
    m = torch.nn.BatchNorm1d(3, momentum=None)
    x = data((4, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    y = m(x * 2)
    return m(y), y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4),
    dict(inputs=None, backward=[0, 1], tangent_seed=5),
]
