# touchstone: 1
# torch: 2.13.0
# note: the kernel squares the mean of the first lane: not a number where a row fills vectors and that overflows
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    b3 = data((2, 4), torch.float64, (seed, 799), kind)
    return (b3,), ()


def program(x3):
    y5 = torch.nn.functional.layer_norm(x3, (4,))
    y6 = torch.nn.functional.group_norm(x3.reshape(1, 2, 4), 2)
    return y5, y6


CALLS = [
    dict(inputs="inputs", seed=9, kind="special"),
    dict(inputs="inputs", seed=10, kind="special"),
    dict(inputs="inputs", seed=11, kind="special"),
]
