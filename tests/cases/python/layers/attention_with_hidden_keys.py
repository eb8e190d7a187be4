# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x, hidden):
        y, weights = self.attention(x, x, x, key_padding_mask=hidden)
        return y


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    hidden = torch.zeros(2, 3, dtype=torch.bool)
    hidden[0, 2] = True
    return (Net(), x, hidden), ()


def program(m, x, hidden):
    return m(x, hidden)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
