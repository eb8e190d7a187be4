# touchstone: 1
# torch: 2.13.0
# note: a view and back, both used
# fires: joint_graph/pointless_view_pair
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    y = x + 1
    z = y.view(8, 4)
    w = z.view(4, 8)
    return w * 2, y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
