# touchstone: 1
# torch: 2.13.0
# expect: fault:compared_number_truncated Differs/values
# expect: fault:real_number_does_not_promote Differs/dtype
# expect: fault:true_division_stays_whole Differs/dtype
# expect: fault:xor_is_or Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.int32, (seed, 0), kind)
    y = data((3, 4), torch.int32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x ^ y, -x, x // 2, x % 3, x * 1.0, x + 0.0, x / 1, x ** 1.0, x * 0.5, x < 1.5, x / 2, x.sum(), torch.cumsum(x, 0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
