# touchstone: 1
# torch: 2.13.0
# note: one value is computed twice, with a gradient and under no_grad. A bug: a pass that joins equal nodes does not ask for requires_grad, so the first value loses its gradient.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.sum(1)
    a = y.median(0)[0]
    with torch.no_grad():
        b = y.median(0)[0]
    return a, b, y.median(0)[1]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
