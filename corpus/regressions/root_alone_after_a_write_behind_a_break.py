# touchstone: 1
# torch: 2.13.0
# note: the backward from one of two roots reads what is computed from memory that the Program writes to behind a graph break
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_function InternalError/compile
# expect: torch:inductor InternalError/compile
# expect: ts Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2,), torch.float32, (seed, 1), kind)
    x0 = torch.as_strided(b0, (1,), (1,), 1).requires_grad_()
    return (x0, b0, b0, b0), ()


def program(x0, x1, x2, x4):
    y0 = torch.where(x4 > 0, x4, x0)
    y17 = x2.mul(y0)
    with torch.no_grad():
        y18 = torch.narrow(y17, -1, 0, 1)
    torch.sum(y18, 0)
    x1.sinc_()
    return (y0,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, kind="uniform", backward=[0]),
]
