# touchstone: 1
# torch: 2.13.0
# expect: fault:floor_division_truncates Differs/values
# expect: fault:remainder_takes_sign_of_dividend Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.div(x, y, rounding_mode="floor"), torch.remainder(x, 3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
