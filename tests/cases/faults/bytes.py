# touchstone: 1
# torch: 2.13.0
# expect: fault:last_outputs_swapped Differs/values
# expect: fault:sum_of_flags_is_flag Differs/values
# expect: fault:unsigned_negation_widens Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.uint8, (seed, 0), kind)
    return (x,), ()


def program(x):
    return -x, x + 300, (x > 2).sum(), x.sum()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
