# touchstone: 1
# expect: torch:fault:factors_of_a_matrix_product_commute Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    y = data((2, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = torch.mm(x, y)
    b = torch.mm(a, y)
    return torch.mm(b, x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
