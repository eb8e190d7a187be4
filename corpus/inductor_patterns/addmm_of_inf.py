# touchstone: 1
# torch: 2.13.0
# note: a product with special values and a bias
# fires: post_grad/addmm#2
import torch


def inputs(seed, kind):
    x = data((4, 5), torch.float32, (seed, 0), kind)
    y = data((5, 6), torch.float32, (seed, 1), kind)
    b = data((6,), torch.float32, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    return x @ y + b


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="special", grad_mode="no_grad"),
]
