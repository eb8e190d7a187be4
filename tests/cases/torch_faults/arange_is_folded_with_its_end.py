# touchstone: 1
# expect: torch:fault:arange_is_folded_with_its_end Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.arange(0, 7, 2) * 3 + 0 * x.size(0), x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
