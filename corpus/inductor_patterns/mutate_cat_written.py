# touchstone: 1
# torch: 2.13.0
# note: all pieces put together and written to
# inductor: mutate_cat_pass
# fires: split_cat/mutate_cat_node
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b = torch.split(x, [3, 9], dim=1)
    y = torch.cat([a, b], dim=1)
    y.mul_(2)
    return y, a + 1, b + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
