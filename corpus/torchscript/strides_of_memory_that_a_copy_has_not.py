# touchstone: 1
# torch: 2.13.0
# note: a view is given the strides of its operand's memory; the oracle's run in moved steps put a copy without gaps in the operand's place, and wrote outside of it. The draw that nobody reads is what is found here.
# expect: ts Differs/state/call 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Differs/state/call 0
# expect: nnc_jit Differs/state/call 0
# expect: memory_efficient_fusion Differs/state/call 0
import torch


def inputs(seed, kind):
    b0 = data((), torch.float32, (seed, 284), kind).requires_grad_()
    w1 = data((56,), torch.float64, (seed, 712), kind).requires_grad_()
    b1 = w1 * 2
    x1 = torch.as_strided(b1, (3, 3, 3), (17, 6, 2), 2)
    return (b0, x1), (w1, b1)


def program(x0, x1):
    y0 = x1.reshape_as(x1)
    y1 = torch.randperm(4)
    y2 = y0 * 2
    with torch.no_grad():
        y3 = torch.cumsum(y2, 1)
        x1.copy_(y3)
    return


CALLS = [
    dict(inputs="inputs", seed=7, kind="uniform"),
    dict(inputs="inputs", seed=8, kind="uniform"),
    dict(inputs="inputs", seed=9, kind="uniform"),
]
