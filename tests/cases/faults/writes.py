# touchstone: 1
# torch: 2.13.0
# expect: fault:first_mutation_alone_written_back Differs/input_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    y.mul_(2)
    x[0].add_(3)
    return x + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
