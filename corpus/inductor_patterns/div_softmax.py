# touchstone: 1
# torch: 2.13.0
# note: softmax with a temperature
# fires: joint_graph/div_softmax_pattern
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    return torch.softmax(x / 0.5, dim=-1), torch.softmax(x / -4.0, dim=0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
