# touchstone: 1
# torch: 2.13.0
# expect: fault:over_one_keeps_dtype Differs/dtype
# expect: fault:plus_zero_keeps_dtype Differs/dtype
# expect: fault:power_one_keeps_dtype Differs/dtype
# expect: fault:sum_keeps_whole_dtype Differs/values
# expect: fault:times_one_keeps_dtype Differs/dtype
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.int32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 1.0 * 2000000 * 2000000, (x + 0.0) * 2000000 * 2000000, x / 1 * 2000000 * 2000000, x ** 1.0 * 2000000 * 2000000, x.sum() * 2000000000 * 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
