# touchstone: 1
# torch: 2.13.0
# note: one write of the program's own spoils a saved value and a view made under no_grad; eager comes by the one first, a compiler that traces the whole backward by the other
# expect: torch:aot_function Limit/A8
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:inductor Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.mul(1)
    return (b0, b0), (w0,)


def program(x0, x2):
    with torch.no_grad():
        y2 = x2.reshape((1, 1, 1))
    y3 = y2.square()
    y6 = torch.addmm(x2, x2, x0)
    x2 += y6
    return (y3,)


CALLS = [
    dict(inputs="inputs", backward=[0, "arg 1"]),
    dict(inputs="inputs", seed=2, backward=[0, "arg 1"]),
]
