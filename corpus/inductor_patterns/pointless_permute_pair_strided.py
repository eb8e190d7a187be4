# touchstone: 1
# torch: 2.13.0
# note: the same over a transposed argument, returned beside what it came from
# fires: joint_graph/pointless_permute_pair
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).transpose(0, 1)
    return (x,), ()


def program(x):
    y = x * 2
    return y.t().t(), y, x.t().t()


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
