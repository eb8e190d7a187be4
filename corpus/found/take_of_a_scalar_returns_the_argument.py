# touchstone: 1
# torch: 2.13.0
# note: the decomposition of take returns a view of its argument where there is one element. A bug: a write to the result reaches the argument.
# expect: torch:aot_eager_decomp_partition Differs/partition
import torch


def inputs(seed, kind):
    x = data((), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.take(torch.tensor(0))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
