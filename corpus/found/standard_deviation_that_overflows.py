# touchstone: 1
# torch: 2.13.0
# note: the decomposition is the root of the variance, which overflows where the deviation does not; the kernel computes in double precision.
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([1e+30, -1e+30])
    return (x,), ()


def program(x):
    return x.std()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
