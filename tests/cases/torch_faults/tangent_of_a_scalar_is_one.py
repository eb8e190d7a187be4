# touchstone: 1
# expect: torch:fault:tangent_of_a_scalar_is_one Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=3),
]
