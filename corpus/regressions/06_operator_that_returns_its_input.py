# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#195422: mutation through dropout that does nothing
# note: a defect, silent: the write into the input is lost, and its version counter is not bumped either (the first of the two in the order of properties names it)
# expect: torch:aot_eager Differs/version/call 0 arg 0
# expect: torch:aot_eager_decomp_partition Differs/version/call 0 arg 0
# expect: torch:aot_function Differs/version/call 0 arg 0
# expect: torch:inductor Differs/version/call 0 arg 0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.nn.functional.dropout(x, 0.5, False)
    y.add_(1)
    return y.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
