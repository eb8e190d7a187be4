# touchstone: 1
# torch: 2.13.0
# note: a scaled value minus its maximum, infinities and NaN among the values
# fires: joint_graph/mul_softmax_pattern
import torch


def inputs(seed, kind):
    x = data((8, 8), torch.float32, (seed, 0), kind)
    y = data((8, 1), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    s = x * y
    return s - s.amax(dim=-1, keepdim=True)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="special", grad_mode="no_grad"),
]
