# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.utils.parametrize


class Symmetric(torch.nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(0, 1)


class Net(torch.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.lin = torch.nn.Linear(2, 2)
        torch.nn.utils.parametrize.register_parametrization(self.lin, "weight", Symmetric())
        self.scale = torch.nn.Parameter(w)

    def forward(self, x):
        return self.lin(x) * self.scale


def inputs(seed, kind):
    w = data((2,), torch.float32, (seed, 0), kind)
    x = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (Net(w), x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
