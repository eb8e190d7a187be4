# touchstone: 1
# torch: 2.13.0
# expect: fault:mutation_of_counter_not_written_back Differs/input_values
# expect: fault:mutation_of_one_element_not_written_back Differs/input_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    n = data((), torch.int64, (seed, 1), kind)
    return (x, n), ()


def program(x, n):
    n.add_(1)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
