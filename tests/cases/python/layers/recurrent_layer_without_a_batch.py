# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.RNN(4, 3, num_layers=2, bias=False)

    def forward(self, x):
        y, h = self.rnn(x)
        return y, h


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    return (Net(), x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
