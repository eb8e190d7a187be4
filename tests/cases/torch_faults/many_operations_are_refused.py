# touchstone: 1
# expect: torch:fault:many_operations_are_refused BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    y = y.sin()
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
