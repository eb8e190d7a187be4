# touchstone: 1
# torch: 2.13.0
# expect: torch:eager_python BothRejected
# expect: torch:aot_eager BothRejected
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    y.add_(1)
    if x.size(0) == 3:
        raise ValueError("three rows")
    return x


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
