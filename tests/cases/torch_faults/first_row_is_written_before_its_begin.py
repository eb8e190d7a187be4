# touchstone: 1
# expect: torch:fault:first_row_is_written_before_its_begin Differs
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
