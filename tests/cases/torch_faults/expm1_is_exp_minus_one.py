# touchstone: 1
# expect: torch:fault:expm1_is_exp_minus_one Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.expm1(x * 1e-10) * 10000000000.0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
