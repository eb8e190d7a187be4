# touchstone: 1
# torch: 2.13.0
# expect: fault:mutation_of_view_not_written_back Differs/input_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).t()
    return (x,), ()


def program(x):
    x.add_(1)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
