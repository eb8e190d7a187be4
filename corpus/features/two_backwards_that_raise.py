# touchstone: 1
# torch: 2.13.0
# note: two roots with graphs of their own, both of which raise: either may be first.
# expect: torch:aot_function Limit/A8
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = data((1, 2), torch.float32, (seed, 2), kind).requires_grad_()
    return (w0.clone(), b1), (w0,)


def program(x0, x1):
    x0.addcmul_(x0, x0)
    y12 = x1 // 1
    y14 = y12 / 2
    y15 = torch.nn.functional.interpolate(x0, scale_factor=1)
    return y15, y14


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1, "arg 0"]),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
