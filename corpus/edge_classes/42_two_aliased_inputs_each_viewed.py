# touchstone: 1
# torch: 2.13.0
# note: two aliased inputs of different shapes, each output views its own
# note: a defect, open as pytorch/pytorch#198095: a view output of an aliased input is regenerated from the whole base
# expect: torch:aot_eager InternalError/forward
# expect: torch:aot_eager_decomp_partition InternalError/forward
# expect: torch:aot_function InternalError/forward
import torch


def inputs(seed, kind):
    base = data((24,), torch.float32, (seed, 0), kind)
    x = base[0:12].view(3, 4)
    y = base[4:20].view(4, 4)
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    return x.t(), y.t()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
