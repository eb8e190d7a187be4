# touchstone: 1
# torch: 2.13.0
# note: aliased inputs, mutation and an alias output, positions shuffled
# note: a defect, open as pytorch/pytorch#198095: a view output of an aliased input is regenerated from the whole base
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: torch:aot_function BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    w = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    x = base[0:4]
    y = base[2:6]
    return (w, y, x), (base,)


def program(w, y, x):
    x.mul_(2)
    return y * w, x.view(2, 2), y[1:]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
