# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.utils.parametrize


class Learned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(2.0))

    def forward(self, w):
        return w * self.scale


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        shared = Learned()
        self.first = torch.nn.Linear(2, 2)
        self.second = torch.nn.Linear(2, 2)
        torch.nn.utils.parametrize.register_parametrization(self.first, "weight", shared)
        torch.nn.utils.parametrize.register_parametrization(self.second, "weight", shared)

    def forward(self, x):
        return self.second(self.first(x))


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
