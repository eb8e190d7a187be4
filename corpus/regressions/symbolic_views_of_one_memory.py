# touchstone: 1
# torch: 2.13.0
# note: a write through one view is seen by the other, at all sizes
# expect: torch:aot_function InternalError/forward
# expect: torch:aot_eager_default_partitioner InternalError/forward
# expect: torch:aot_eager InternalError/forward
# expect: torch:aot_eager_decomp_partition InternalError/forward
# expect: torch:inductor InternalError/forward
import torch


def inputs(seed, kind):
    b0 = data((4, 6), torch.float32, (seed, 1), kind)
    return (b0.t(), b0[1:, 2:5]), (b0,)


def inputs_2(seed, kind):
    b0 = data((5, 9), torch.float32, (seed, 2), kind)
    return (b0.t(), b0[1:, 2:5]), (b0,)


def program(x0, x1):
    x1.mul_(2)
    y0 = x0 + 1
    return y0, x0[1], x1.t()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
