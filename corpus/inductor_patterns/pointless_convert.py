# touchstone: 1
# torch: 2.13.0
# note: a cast to double and back
# fires: joint_graph/pointless_convert
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    y = x.to(torch.float64).to(torch.float32)
    return y * 2, y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
