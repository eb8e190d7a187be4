# touchstone: 1
# expect: torch:fault:results_are_kept_in_one_buffer Differs
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
