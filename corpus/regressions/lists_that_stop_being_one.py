# touchstone: 1
# torch: 2.13.0
# note: one list in two parameters, then two lists with the same contents
# expect: torch:eager Differs/values
# expect: torch:aot_function Differs/input_metadata
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    l = [a]
    return (l, [a]), ()


def inputssame(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    l = [a]
    return (l, l), ()


def program(l, m):
    l[0] = l[0] * 2
    return m[0] + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputssame", seed=3),
    dict(inputs="inputssame", seed=4),
]
