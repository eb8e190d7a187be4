# touchstone: 1
# torch: 2.13.0
# note: a detached slice, then the view and the base
# note: a defect with decompositions: the detached slice is an alias of an intermediate and is handed back requiring grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    return y[1:].detach(), y.view(-1), y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
