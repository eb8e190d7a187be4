# touchstone: 1
# torch: 2.13.0
# note: a list that holds one list twice, written through one of the two
# expect: torch:aot_function Differs/values
import torch


def inputs(seed, kind):
    a = data((4,), torch.float32, (seed, 0), kind)
    m = [a]
    return ([m, m],), ()


def program(l):
    l[0][0] = l[0][0] * 2
    return l[1][0] + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
