# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(4, 4, num_layers=2, dropout=0.5)

    def forward(self, x):
        y, h = self.rnn(x)
        return y


def inputs(seed, kind):
    m = Net()
    m.eval()
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    return (m, x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
