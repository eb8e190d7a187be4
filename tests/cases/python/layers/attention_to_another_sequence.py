# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True)

    def forward(self, x, k, v):
        y, weights = self.attention(x, k, v)
        return y + x


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    k = data((2, 5, 3), torch.float32, (seed, 1), "uniform")
    v = data((2, 5, 5), torch.float32, (seed, 2), "uniform")
    return (Net(), x, k, v), ()


def program(m, x, k, v):
    return m(x, k, v)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
