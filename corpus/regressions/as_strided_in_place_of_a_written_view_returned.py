# touchstone: 1
# torch: 2.13.0
# note: as_strided_ of a view of which one element was written, returned
# expect: torch:aot_function Differs/values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w2 = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = w2.clone()
    x2 = torch.as_strided(b2, (2,), (2,), 0)
    return (x2,), (w2,)


def program(x2):
    x2[1] = 1
    y6 = x2.as_strided_((1, 2), (2, 1), 0)
    return y6


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
