# touchstone: 1
# expect: torch:fault:log_of_exp_is_its_operand Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.log(torch.exp(x * 1000))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
