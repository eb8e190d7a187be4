# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(2, 2))

    def forward(self, x):
        return self.lin(x)


def inputs(seed, kind):
    m = Net()
    m.eval()
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (m, x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
