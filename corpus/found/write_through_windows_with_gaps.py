# touchstone: 1
# torch: 2.13.0
# note: a write through an unfold whose windows leave elements out: these become 0. A bug.
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager_default_partitioner Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = data((5,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.unfold(0, 1, 2).mul_(2)
    return x * 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
