# touchstone: 1
# torch: 2.13.0
# note: scatter along the first dimension, counted from the end, into ones that are used again
# fires: joint_graph/scatter_upon_const_tensor
import torch


def inputs(seed, kind):
    i = data((1, 5), torch.uint8, (seed, 0), kind)
    x = data((17, 5), torch.float32, (seed, 1), kind).detach().requires_grad_()
    return (i, x), ()


def program(i, x):
    y = torch.ones(17, 5)
    return y.scatter(-2, i.to(torch.int64), -1.0) * x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
