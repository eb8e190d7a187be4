# touchstone: 1
# torch: 2.13.0
# expect: fault:erf_by_tanh Differs/values
# expect: fault:single_function_in_half Differs/values
# expect: fault:special_function_unwritten ReadsUninitialized
# expect: fault:tail_of_sum_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((3, 7), torch.float32, (seed, 0), kind)
    y = data((3, 7), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * y, x.sum(0), torch.cat([x, y]), torch.nn.functional.pad(x, (0, 1)), torch.erf(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
