# touchstone: 1
# expect: torch:fault:gradient_of_a_kept_dimension_is_expanded_twice Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sum(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
