# touchstone: 1
# torch: 2.13.0
# note: aliased inputs whose common base autograd does not know: the base comes from the storage
# note: a defect, open as pytorch/pytorch#198095: a view output of an aliased input is regenerated from the whole base
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: torch:aot_function BackendRejected/forward
import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    x = base[0:8].detach()
    y = base[4:12].detach()
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    return x + y, y.view(2, 4)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
