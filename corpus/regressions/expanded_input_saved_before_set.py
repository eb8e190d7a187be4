# touchstone: 1
# torch: 2.13.0
# note: an expanded input is saved, whose memory comes to have several version counters by set_; its copy overlaps itself too
# expect: torch:eager InternalError/compile
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_function InternalError/compile
# expect: torch:inductor InternalError/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 2), torch.float32, (seed, 1), kind)
    b1 = data((2,), torch.float32, (seed, 1), kind)
    b2 = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    x0 = b0.expand((2, 2))
    return (x0, b1, b2), ()


def program(x0, x2, x3):
    y6 = x3.mul(x0)
    torch.ops.aten.set_.source_Tensor(x2, x0)
    return (y6,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs=None),
    dict(inputs="inputs", seed=1),
]
