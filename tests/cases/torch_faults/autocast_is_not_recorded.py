# touchstone: 1
# expect: torch:fault:autocast_is_not_recorded Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = torch.mm(x, y)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
