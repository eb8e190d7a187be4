# touchstone: 1
# expect: torch:fault:infinities_stay Differs/values/call 1 output 0
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nan_to_num(x, 0.0, 1.0, -1.0)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
