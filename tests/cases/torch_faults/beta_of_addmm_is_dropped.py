# touchstone: 1
# expect: torch:fault:beta_of_addmm_is_dropped Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    b = data((2, 2), torch.float32, (seed, 0), kind)
    x = data((2, 2), torch.float32, (seed, 1), kind)
    y = data((2, 2), torch.float32, (seed, 2), kind)
    return (b, x, y), ()


def program(b, x, y):
    return torch.addmm(b, x, y, beta=2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
