# touchstone: 1
# expect: torch:fault:no_grad_is_not_recorded Differs/gradient_values/call 0 leaf 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.no_grad():
        y = x * 2
    return y * x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
