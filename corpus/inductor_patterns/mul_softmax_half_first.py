# touchstone: 1
# torch: 2.13.0
# note: the same with a factor that is a tensor and stands first
# fires: joint_graph/mul_softmax_pattern#4
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float16, (seed, 0), kind)
    y = data((1,), torch.float16, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.softmax(y * x, dim=-1, dtype=torch.float32), torch.softmax(y * x, dim=-1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
