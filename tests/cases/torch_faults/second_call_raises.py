# touchstone: 1
# expect: torch:fault:second_call_raises BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 1, x + 2, x + 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
