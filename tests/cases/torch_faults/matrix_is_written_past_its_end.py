# touchstone: 1
# expect: torch:fault:matrix_is_written_past_its_end OutOfBounds
import torch


def inputs(seed, kind):
    x = data((2, 7), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
