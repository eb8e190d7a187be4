# touchstone: 1
# expect: torch:fault:empty_arguments_are_refused BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((0,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
