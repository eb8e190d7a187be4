# touchstone: 1
# expect: torch:fault:log1p_is_log_of_one_more Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.log1p(x * 1e-10) * 10000000000.0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
