# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.first = torch.nn.Linear(2, 2, bias=False)
        self.second = torch.nn.Linear(2, 2, bias=False)
        self.second.weight = self.first.weight
        self.scale = torch.nn.Parameter(w)

    def forward(self, x):
        return self.second(self.first(x)) * self.scale


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
