# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.utils.parametrize


class Times(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.factor = n

    def forward(self, w):
        return w * self.factor


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
        torch.nn.utils.parametrize.register_parametrization(self.lin, "weight", Times(2.0))

    def forward(self, x):
        return self.lin(x)


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
