# touchstone: 1
# torch: 2.13.0
# note: dropout of everything draws no random numbers in eager
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.nn.functional.dropout(x, 1.0)
    return y, torch.rand_like(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
