# touchstone: 1
# torch: 2.13.0
# expect: fault:power_half_is_root Differs/values
# expect: fault:power_zero_is_x_over_x Differs/values
# expect: fault:root_by_powers Differs/values
# expect: fault:rsqrt_by_powers Differs/values
# expect: fault:sqrt_undoes_square Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sqrt(x ** 2), x ** 3, x ** 0.5, x ** 0, torch.rsqrt(x), torch.reciprocal(x), torch.sqrt(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2, kind="special"),
    dict(inputs="inputs", seed=3),
]
