# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(w), torch.nn.Parameter(w * 2)])

    def forward(self, x):
        for w in self.weights:
            x = x * w
        return x


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
