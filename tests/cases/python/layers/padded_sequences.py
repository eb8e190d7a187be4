# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 2)

    def forward(self, x):
        rows = [x[0], x[1, :2], x[0, :1]]
        return self.lin(torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=1.0))


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    return (Net(), x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
