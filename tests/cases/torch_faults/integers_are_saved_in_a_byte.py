# touchstone: 1
# expect: torch:fault:integers_are_saved_in_a_byte Differs
import torch


def inputs(seed, kind):
    x = data((300,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    i = torch.tensor([257, 1, 2])
    return torch.gather(x * 2, 0, i * 1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
