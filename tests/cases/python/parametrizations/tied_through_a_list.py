# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        one = torch.nn.Linear(2, 2)
        self.layers = torch.nn.ModuleList([one, torch.nn.Linear(2, 2), one])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


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
