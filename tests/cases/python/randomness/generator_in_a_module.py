# touchstone: 1
# torch: 2.13.0
import torch


class Noise(torch.nn.Module):
    def __init__(self, g):
        super().__init__()
        self.source = g

    def forward(self, x):
        return x + torch.randn(3, 2, generator=self.source)


def inputs(seed, kind):
    g = torch.Generator()
    g.manual_seed(seed)
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (Noise(g), x), ()


def program(m, x):
    return m(x) + m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
