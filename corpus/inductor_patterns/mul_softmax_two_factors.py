# touchstone: 1
# torch: 2.13.0
# note: a scaled value minus its maximum, the scaled value used again
# fires: joint_graph/mul_softmax_pattern
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    s = x * 3.0
    return s - s.amax(dim=-1, keepdim=True), s + y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
