# touchstone: 1
# expect: torch:fault:pieces_of_a_split_begin_early Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, [3, 1, 2])
    return a + 1, b + 1, c + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
