# touchstone: 1
# torch: 2.13.0
# note: eager, asked for one gradient, raises for a changed value; the whole backward raises for a gradient of another shape first
# expect: torch:aot_function Limit/A8
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:inductor Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.clone()
    w1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    w2 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    x2 = w2.permute((1, 0))
    return (b0, x2), (w0, w1, w2)


def program(x0, x2):
    with torch.no_grad():
        y0 = x0.t_()
    y1 = y0 * x2
    x0.add_(y0)
    return (y1,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, "arg 0"], wrt=[2]),
    dict(inputs="inputs", seed=2, backward=[0, "arg 0"], wrt=[2]),
]
