# touchstone: 1
# torch: 2.13.0
# note: normal_ of 16 elements or more with gaps between them: one by one, in the order of the memory
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    a = data((8, 8), torch.float32, (seed, 0), kind)
    return (a,), ()


def program(x):
    x[:, ::2].normal_()
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
