# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.RNN(4, 3, nonlinearity="relu", batch_first=True)

    def forward(self, x, h):
        y, h = self.rnn(x, h)
        return y, h


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    h = data((1, 2, 3), torch.float32, (seed, 1), "uniform").requires_grad_()
    return (Net(), x, h), ()


def program(m, x, h):
    return m(x, h)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0, 1]),
    dict(inputs="inputs", seed=8, backward=[0, 1]),
    dict(inputs=None, backward=[0]),
]
