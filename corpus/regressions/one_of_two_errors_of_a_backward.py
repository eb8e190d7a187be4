# touchstone: 1
# torch: 2.13.0
# note: two roots, each of which raises: which of them does so first is a matter of order.
# expect: torch:aot_function Limit/A8
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1, 1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0 * 1
    w3 = data((1, 1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    return (b0, w3), (w0,)


def program(x0, x3):
    y2 = x3 // x3
    y7 = y2.tril(0)
    x0 *= x0
    y10 = torch.nn.functional.max_pool2d(x3, 1, 1)
    return y10, y7


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1, "arg 0"]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[1, "arg 0"]),
]
