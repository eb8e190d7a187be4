# touchstone: 1
# torch: 2.13.0
# note: the operator raises in eager, and `except` catches it; Dynamo raises out of the compile what the operator raises on fake tensors. A bug: refuses a program that eager takes.
# expect: torch:eager_python Reference
# expect: torch:eager BackendRejected/compile
# expect: torch:aot_eager Upstream
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    try:
        return torch.mm(x, x)
    except RuntimeError:
        return x * 2


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
