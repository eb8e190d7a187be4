# touchstone: 1
# expect: torch:fault:values_are_computed_again_without_their_keywords Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    z = torch.add(x, y, alpha=2)
    return z.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
