# touchstone: 1
# torch: 2.13.0
# note: a view of the sizes that are there already, one result written to
# fires: joint_graph/pointless_view
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    y = x + 1
    z = y.view(4, 8)
    w = z * 2
    return w, y.view(4, -1).sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
