# touchstone: 1
# expect: torch:fault:written_arguments_are_saved_as_they_were Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    x.add_(1)
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
