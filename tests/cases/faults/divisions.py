# touchstone: 1
# torch: 2.13.0
# expect: fault:atan2_swapped Differs/values
# expect: fault:division_by_reciprocal Differs/values
# expect: fault:reciprocal_of_product Differs/values
# expect: fault:rounding_mode_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x / 3, x / (y * 3), torch.div(x, y, rounding_mode="trunc"), torch.floor_divide(x, y), x % y, torch.atan2(x, y), torch.hypot(x, y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
