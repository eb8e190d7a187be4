# touchstone: 1
# expect: torch:fault:view_of_a_piece_counts_from_its_memory Differs
import torch


def inputs(seed, kind):
    b = data((8,), torch.float32, (seed, 0), kind)
    x = b[2:]
    return (x,), ()


def program(x):
    return x[1:]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
