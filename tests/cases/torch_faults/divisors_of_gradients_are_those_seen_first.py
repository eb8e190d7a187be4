# touchstone: 1
# expect: torch:fault:divisors_of_gradients_are_those_seen_first Differs
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.mean(0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_2", seed=2, backward=[0]),
    dict(inputs="inputs_2", seed=3, backward=[0]),
]
COMPILE = dict(dynamic=True)
