# touchstone: 1
# expect: torch:fault:dot_of_integers_is_not_summed Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    y = data((4,), torch.int64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.matmul(x, y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
