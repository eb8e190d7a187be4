# touchstone: 1
# torch: 2.13.0
# note: what a checkpoint computes again of a leaf that was written to since raises in each backward.
# found-by: seed 901001 case 3533, continued from seed 901001 case 2291 (b364d290fac43ad9)
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Limit/A8
# expect: torch:aot_eager_default_partitioner Limit/A8
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:inductor Limit/A8
import torch


def inputs(seed, kind):
    b2 = ()
    b3 = torch.ones(()).requires_grad_()
    return (b2, b3), ()


def helper_0(x4, x3):
    return [x4.double()], x4, x3, x4.abs()


def program(x3, x4):
    y0, y1, y2, y3 = torch.utils.checkpoint.checkpoint(helper_0, x4, x3, use_reentrant=False)
    x4.detach().add_(0)
    return y3, y0


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
