# touchstone: 1
# torch: 2.13.0
# note: two permutations that undo each other
# fires: joint_graph/pointless_permute_pair
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    y = x.sin()
    z = y.permute(1, 2, 0)
    return z.permute(2, 0, 1) * 2, y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
