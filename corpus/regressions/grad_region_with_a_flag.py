# touchstone: 1
# torch: 2.13.0
# note: a tensor is read as a number in a region of set_grad_enabled
# expect: torch:aot_function Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y, False), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x, True), ()


def program(x, y, flag):
    with torch.set_grad_enabled(flag):
        a = x * 2
        n = (a.sum() * 0).item()
        b = x + n
    return b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
