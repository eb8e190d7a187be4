# touchstone: 1
# expect: torch:fault:arguments_are_saved_in_bfloat16 Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", backward=[0]),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0]),
]
