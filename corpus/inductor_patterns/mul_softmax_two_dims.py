# touchstone: 1
# torch: 2.13.0
# note: the maximum over two dimensions, both operands used again
# fires: joint_graph/mul_softmax_pattern
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((2, 1, 1), torch.float32, (seed, 1), kind).detach().requires_grad_()
    return (x, y), ()


def program(x, y):
    s = x * y
    m = s.amax(dim=(1, 2), keepdim=True)
    return s - m, s


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
