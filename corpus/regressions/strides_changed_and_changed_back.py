# touchstone: 1
# torch: 2.13.0
# note: one argument is copied while another, which may be the same object, is turned
# expect: torch:aot_function Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    x.t_()
    n = y.stride()
    z = y.contiguous()
    x.t_()
    return n, z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
