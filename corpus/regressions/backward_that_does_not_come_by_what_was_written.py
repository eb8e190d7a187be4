# touchstone: 1
# torch: 2.13.0
# note: the gradient that is asked for does not depend on the root: eager runs no node, and does not see that what one of them saved was written to
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:aot_function Limit/A8
# expect: torch:inductor Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.mul(1)
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    return (b0, b1), (w0, w1)


def program(x0, x1):
    x0.mul_(x0)
    y0 = x1.add_(x0)
    with torch.no_grad():
        y8 = y0.transpose(0, 1)
    return (y8,)


CALLS = [
    dict(inputs="inputs", backward=["arg 0"], wrt=[1]),
    dict(inputs="inputs", seed=1, backward=["arg 0"], wrt=[1]),
    dict(inputs="inputs", seed=2, backward=["arg 0"], wrt=[1]),
]
