# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.weight = torch.nn.Parameter(w)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        if self.training:
            return self.drop(x) * self.weight
        return x + self.weight


def inputs(seed, kind):
    w = data((2,), torch.float32, (seed, 0), kind)
    x = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (Net(w), x), ()


def program(m, x):
    a = m(x)
    m.eval()
    b = m(x)
    m.train()
    return a + b, m.training


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
