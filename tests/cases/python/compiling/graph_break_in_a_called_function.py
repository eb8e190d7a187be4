# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return broken(x) + broken(x * 2)


def broken(a):
    b = a.sin()
    torch._dynamo.graph_break()
    return b * a


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (Net(), x), ()


def program(m, x):
    return m(x) * 2


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
