# touchstone: 1
# torch: 2.13.0
# note: an argument and its detach() share a version counter: the write through one is seen when the other was saved; a native pipeline of ours was wrong here
# expect: torch:aot_function Limit/A13
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:inductor Limit/A13
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    x2 = b0.detach()
    return (x2, b0), ()


def program(x2, x3):
    y1 = torch.abs(x3)
    x2.copy_(y1)
    return


CALLS = [
    dict(inputs="inputs", seed=1, backward=["arg 0"]),
    dict(inputs="inputs", seed=2, backward=["arg 0"]),
]
