# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.dropout(x, 0.5)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (Net(), x), ()


def program(m, x):
    torch.manual_seed(9)
    a = torch.rand(3, 2)
    torch.manual_seed(9)
    return m(x) * a, torch.rand(3, 2) - a


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
