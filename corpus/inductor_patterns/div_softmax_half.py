# touchstone: 1
# torch: 2.13.0
# note: softmax in float32 of a half with a temperature
# fires: joint_graph/div_softmax_pattern#2
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float16, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.softmax(x / 0.3, dim=-1, dtype=torch.float32)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
