# touchstone: 1
# torch: 2.13.0
# note: scatter of a number into a constant of float64
# fires: joint_graph/scatter_upon_const_tensor
import torch


def inputs(seed, kind):
    i = data((4, 1), torch.uint8, (seed, 0), kind)
    return (i,), ()


def program(i):
    y = torch.zeros(4, 17, dtype=torch.float64)
    return y.scatter(1, i.to(torch.int64), 0.1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
