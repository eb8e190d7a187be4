# touchstone: 1
# expect: torch:fault:relu_of_nan_is_zero Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.relu(x)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
