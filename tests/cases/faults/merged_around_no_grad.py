# touchstone: 1
# torch: 2.13.0
# expect: fault:merged_over_no_grad Differs/requires_grad
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.no_grad():
        a = torch.sin(x)
    b = torch.sin(x)
    return b * 2, a


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
