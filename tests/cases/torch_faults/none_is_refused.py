# touchstone: 1
# expect: torch:fault:none_is_refused BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.add_(1)
    return


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
