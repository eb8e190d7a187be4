# touchstone: 1
# expect: torch:fault:requires_grad_is_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2, backward=[0]),
    dict(inputs="inputs_2", seed=3, backward=[0]),
]
