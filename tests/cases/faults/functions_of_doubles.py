# touchstone: 1
# torch: 2.13.0
# expect: fault:double_function_in_single Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.exp(x), torch.sin(x), torch.tanh(x)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
