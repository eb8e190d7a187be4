# touchstone: 1
# torch: 2.13.0
# note: sizes of one argument read while another, which may be the same object, has a dimension more
# expect: torch:aot_function Differs/structure
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    x.unsqueeze_(0)
    n = y.shape
    m = y.dim()
    x.squeeze_(0)
    return n, m, x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
