# touchstone: 1
# torch: 2.13.0
# note: softmax in float32 of a scaled half
# fires: joint_graph/mul_softmax_pattern#2
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float16, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    return torch.softmax(x * -0.5, dim=-1, dtype=torch.float32)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
