# touchstone: 1
# expect: torch:fault:product_of_transposes_is_not_turned Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    y = data((2, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.mm(x.t(), y.t())


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
