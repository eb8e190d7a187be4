# touchstone: 1
# torch: 2.13.0
# note: what retained its gradient is detached in place and returned.
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (w0,), ()


def program(x0):
    y2 = x0 @ x0
    y2.retain_grad()
    y3 = y2 * 2
    y4 = y2.detach_()
    return y4, y3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
    dict(inputs="inputs", seed=3, backward=[1]),
]
