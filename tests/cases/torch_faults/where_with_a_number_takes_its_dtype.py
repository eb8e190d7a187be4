# touchstone: 1
# expect: torch:fault:where_with_a_number_takes_its_dtype Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.where(x > 0, x, 1.0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
