# touchstone: 1
# torch: 2.13.0
# note: one list in two parameters: a write through one is read through the other
# expect: torch:aot_function Differs/values
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    l = [a]
    return (l, l, a), ()


def program(l, m, a):
    l[0] = a + 1
    return m[0] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
