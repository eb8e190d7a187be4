# touchstone: 1
# torch: 2.13.0
# note: what a view and back gives is written to
# fires: joint_graph/pointless_view_pair
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.clone()
    w = y.view(32).view(4, 8)
    w.mul_(3)
    return w, y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
