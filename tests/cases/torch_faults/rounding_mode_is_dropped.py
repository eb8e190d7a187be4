# touchstone: 1
# expect: torch:fault:rounding_mode_is_dropped Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.div(x, 0.75, rounding_mode="floor")


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
