# touchstone: 1
# torch: 2.13.0
# note: an input at an offset, `select_scatter`, and the diagonal of the result is filled: left as it was.
# expect: torch:aot_eager_default_partitioner Differs/values/call 0 output 0
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:inductor Differs/offset/call 0 output 0
# expect: torch:aot_function Differs/values/call 1 output 0
import torch


def inputs(seed, kind):
    x3 = torch.as_strided(data((2,), torch.float32, (seed, 1), kind), (1, 1), (1, 1), 1)
    return (x3,), ()


def program(x3):
    y5 = torch.select_scatter(x3, x3.select(0, 0), 0, 0)
    y5.fill_diagonal_(0)
    return (y5,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
