# touchstone: 1
# torch: 2.13.0
# note: a view made under no_grad is saved, and its base transposed in place; a native pipeline of ours was wrong here
# expect: torch:aot_function Differs/requires_grad
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
# expect: torch:inductor Differs/requires_grad/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w2 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = w2.mul(1)
    return (b2,), (w2,)


def program(x2):
    with torch.no_grad():
        y4 = x2[None]
    y6 = y4.gather(1, y4.argsort(1))
    x2.transpose_(0, 0)
    return (y6,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
