# touchstone: 1
# torch: 2.13.0
# note: softmax of a scaled value
# fires: joint_graph/mul_softmax_pattern#3
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((4, 1), torch.float32, (seed, 1), kind).detach().requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.softmax(y * x, dim=-1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
