# touchstone: 1
# torch: 2.13.0
# note: a write through a view by expand that repeats nothing: what is written is added up from the old value and a difference, so that 1e20 becomes 0 and not 1, and an infinity NaN. A bug.
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager_default_partitioner Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind) * 0 + 1e+20
    return (x,), ()


def program(x):
    x.expand(1, 3).fill_(1)
    return x * 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
