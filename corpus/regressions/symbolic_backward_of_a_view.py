# touchstone: 1
# torch: 2.13.0
# note: a backward that is compiled later takes the views of one memory that were compiled apart
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((6,), torch.float32, (seed, 1), kind)
    b1 = torch.ones(())
    x0 = torch.as_strided(b0, (2, 3), (3, 1)).requires_grad_()
    x1 = torch.as_strided(b1, (1,), (1,))
    x2 = torch.as_strided(b1, (), ())
    return (x0, x1, x2), ()


def program(x0, x1, x2):
    y0 = x0 * x1
    return y0 + x2, y0.sin() * x2


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
COMPILE = dict(dynamic=True)
