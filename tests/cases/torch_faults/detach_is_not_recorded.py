# touchstone: 1
# expect: torch:fault:detach_is_not_recorded Differs/gradient_values/call 0 leaf 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * x.detach()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
