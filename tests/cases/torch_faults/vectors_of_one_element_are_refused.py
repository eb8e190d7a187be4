# touchstone: 1
# expect: torch:fault:vectors_of_one_element_are_refused InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 1), torch.float32, (seed, 0), kind)
    y = data((1,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.mv(x, y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
