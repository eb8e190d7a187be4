# touchstone: 1
# expect: torch:fault:pieces_of_arguments_are_copied Differs
import torch


def inputs(seed, kind):
    b = data((6,), torch.float32, (seed, 0), kind)
    x = b[2:]
    return (x,), (b,)


def program(x):
    x.add_(1)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
