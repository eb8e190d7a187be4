# touchstone: 1
# torch: 2.13.0
# note: the backward of as_strided on an expanded tensor divides, which rounds in double precision as well; a sum in another order is right
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    x1 = b1.expand((3, 1))
    return (x1,), (b1,)


def program(x1):
    y0 = torch.as_strided(x1, (1,), (1,), 0)
    y1 = x1[0]
    y1.requires_grad_()
    return x1, y1, y0


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2], tangent_seed=14),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2], tangent_seed=14),
    dict(inputs="inputs", seed=3, backward=[0, 1, 2], tangent_seed=15),
]
