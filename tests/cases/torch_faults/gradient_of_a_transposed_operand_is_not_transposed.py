# touchstone: 1
# expect: torch:fault:gradient_of_a_transposed_operand_is_not_transposed Differs
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x.t() * y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
