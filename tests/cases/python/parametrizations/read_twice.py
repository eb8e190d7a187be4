# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.utils.parametrize


class Symmetric(torch.nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(0, 1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(2, 2)
        torch.nn.utils.parametrize.register_parametrization(self.lin, "weight", Symmetric())

    def forward(self, x):
        return self.lin(x) + self.lin.weight.sum()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (Net(), x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
