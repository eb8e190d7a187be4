# touchstone: 1
# torch: 2.13.0
# note: one argument is counted while another, which may be the same object, is resized
# expect: torch:aot_function Differs/non_tensor
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    x.resize_(9)
    n = y.dim()
    x.resize_(3, 3)
    return n, x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
