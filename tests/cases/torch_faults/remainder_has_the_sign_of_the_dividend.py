# touchstone: 1
# expect: torch:fault:remainder_has_the_sign_of_the_dividend Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x % 0.75


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
