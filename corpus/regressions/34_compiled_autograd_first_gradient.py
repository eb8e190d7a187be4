# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch PR 184082: compiled autograd, aliasing of the first gradient, then accumulation
# expect: aot_joint Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.view(-1), x.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3, compiled_autograd=True),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4, compiled_autograd=True),
    dict(inputs="inputs", seed=3, backward=[0, 1], tangent_seed=5, compiled_autograd=True),
    dict(inputs="inputs", seed=4, backward=[1], tangent_seed=6, backward_times=2, compiled_autograd=True),
]
