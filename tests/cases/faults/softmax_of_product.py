# touchstone: 1
# torch: 2.13.0
# expect: fault:softmax_of_product_refused InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.softmax(x @ x, 0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
