# touchstone: 1
# torch: 2.13.0
# note: an in-place operation on a 0-d float64 argument on the CPU is lost, under Inductor too: Dynamo, restarted by AOTAutograd's pass that makes numbers of such scalars, removes a node that nobody reads, though it writes. A bug: silent wrong values.
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x = data((), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.mul_(2)
    return x + 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
