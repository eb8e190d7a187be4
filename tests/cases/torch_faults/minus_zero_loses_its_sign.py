# touchstone: 1
# expect: torch:fault:minus_zero_loses_its_sign Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.zeros(4)
    return torch.maximum(y, x) * 0 + y * -0.0, torch.copysign(x, -0.0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
