# touchstone: 1
# expect: torch:fault:dividing_by_a_tensor_takes_its_reciprocal Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * 1e-39 / (y * 1e-39)


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones"),
    dict(inputs="inputs", seed=2, kind="ones"),
]
